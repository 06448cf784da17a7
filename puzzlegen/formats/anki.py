"""Anki decks (`.apkg`): a note for each puzzle, with the board as an image.

The ids of notes, of the deck and of the kind of note are the same in every export, so that Anki updates known
notes. Only the time of the export differs, by which Anki knows which note is newer.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO
from zipfile import ZipFile

import genanki

from chess_motif.pages import link
from db.models import Puzzle
from puzzlegen.formats.answers import answer, question, unseen, why
from puzzlegen.motifs.tags import motif_tags

# The colour of the opponent's last move.
LAST_MOVE = "#1253c4a0"

# Width of a board in pixels.
WIDTH = 260

# The size of the bands of levels that are tags.
BAND = 200

_FIELDS = ("Id", "Board", "Question", "Answer", "Why", "Level", "Game")
_FRONT = "{{Board}}<p>{{Question}}</p>"
_BACK = """{{FrontSide}}<hr id="answer"><p class="answer">{{Answer}}</p>
{{#Why}}<p>{{Why}}</p>{{/Why}}
<p class="source">{{#Level}}Level {{Level}} · {{/Level}}{{Game}} · {{Id}}</p>"""
_STYLE = """.card { font: 18px/1.4 sans-serif; text-align: center; }
img { width: 100%; max-width: 26rem; }
.answer { font-weight: bold; }
.source { font-size: 14px; opacity: .7; }"""

# The number must be unique among kinds of notes.
_MODEL = genanki.Model(
    1_784_305_127,
    "Chess puzzle (chess-motif)",
    fields=[{"name": name} for name in _FIELDS],
    templates=[{"name": "Find the move", "qfmt": _FRONT, "afmt": _BACK}],
    css=_STYLE,
)


def write(out: BinaryIO, puzzles: Iterable[Puzzle], title: str) -> None:
    """Write a deck called `title`, with a note for each puzzle."""
    deck = genanki.Deck(_deck_number(title), title)
    images: dict[str, str] = {}
    with TemporaryDirectory() as folder:
        package, database = Path(folder) / "deck.apkg", Path(folder) / "collection.anki2"
        with ZipFile(package, "w") as archive:
            for number, puzzle in enumerate(puzzles):
                image = f"chess-motif-{puzzle.id}.svg"
                archive.writestr(str(number), _board(puzzle))
                images[str(number)] = image
                deck.add_note(_note(puzzle, image))
            archive.writestr("media", json.dumps(images))
            # genanki would leave this file behind in the folder for temporary files.
            with closing(sqlite3.connect(database)) as connection:
                now = time.time()
                numbers = itertools.count(int(now * 1000))
                genanki.Package(deck).write_to_db(connection.cursor(), now, numbers)
                connection.commit()
            archive.write(database, database.name)
        with package.open("rb") as file:
            shutil.copyfileobj(file, out)


def _note(puzzle: Puzzle, image: str) -> genanki.Note:
    texts = (
        f"{question(puzzle)}: find the best move. {unseen(puzzle)}".rstrip(),
        answer(puzzle),
        why(puzzle),
        puzzle.level_text(),
    )
    return genanki.Note(
        _MODEL,
        [puzzle.id, f'<img src="{image}">', *map(_text, texts), _game(puzzle)],
        guid=genanki.guid_for(puzzle.id),
        tags=_tags(puzzle),
    )


def _tags(puzzle: Puzzle) -> list[str]:
    tags = [*motif_tags(puzzle.all_tags()), f"kind::{puzzle.kind}"]
    if puzzle.level is not None:
        lowest = int(puzzle.level // BAND * BAND)
        tags.append(f"level::{lowest}-{lowest + BAND - 1}")
    return tags


def _game(puzzle: Puzzle) -> str:
    address = link(puzzle.game_url)
    origin = _text(puzzle.origin())
    return origin if address is None else f'<a href="{_text(address)}">{origin}</a>'


def _board(puzzle: Puzzle) -> str:
    """Return the position as a separate image, which needs no style sheet."""
    # Imported only here: few commands draw.
    import chess.svg

    board, opponents = puzzle.position(), puzzle.opponents_move()
    last = [] if opponents is None else [opponents[1]]
    return chess.svg.board(
        board,
        orientation=board.turn,
        arrows=[chess.svg.Arrow(move.from_square, move.to_square, color=LAST_MOVE) for move in last],
        colors={f"arrow {LAST_MOVE}": LAST_MOVE},
        size=WIDTH,
    )


def _text(text: str) -> str:
    """Return a text as HTML, without anything that Anki would take for a sound or formula."""
    return escape(text).replace("[", "&#91;")


def _deck_number(title: str) -> int:
    """Return a number between 2³⁰ and 2³¹, as Anki's decks have, made from the title."""
    digest = hashlib.sha256(title.encode()).digest()
    return int.from_bytes(digest[:4], "big") % 2**30 + 2**30
