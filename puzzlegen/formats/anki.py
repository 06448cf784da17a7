"""Anki decks (`.apkg`): a note for each puzzle, with the board as an image.

The ids of notes, of the deck and of the kind of note are the same in every export, so that Anki updates what
it already has. Only the time of the export differs, by which Anki knows which note is newer.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from chess_motif.boards import Line, svg_board
from chess_motif.errors import LibraryMissingError
from chess_motif.pages import link
from db.models import Puzzle
from puzzlegen.formats.answers import answer, question, why
from puzzlegen.motifs.tags import motif_tags

try:
    import genanki
except ImportError as error:
    raise LibraryMissingError("Anki decks need genanki; pip install 'chess-motif[export]'") from error

# The colour of the opponent's last move.
LAST_MOVE = "#1253c4a0"

# Tags have the level in steps of this size.
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

# A number that no other kind of note has.
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
    images = []
    with TemporaryDirectory() as folder:
        for puzzle in puzzles:
            image = Path(folder) / f"chess-motif-{puzzle.id}.svg"
            image.write_text(_board(puzzle), encoding="utf-8")
            images.append(str(image))
            deck.add_note(_note(puzzle, image.name))
        package = Path(folder) / "deck.apkg"
        genanki.Package(deck, images).write_to_file(package)
        with package.open("rb") as file:
            shutil.copyfileobj(file, out)


def _note(puzzle: Puzzle, image: str) -> genanki.Note:
    texts = (
        f"{question(puzzle)}: find the best move.",
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
    opponents = puzzle.opponents_move()
    last = [] if opponents is None else [opponents[1]]
    arrows = [Line(move.from_square, move.to_square, LAST_MOVE) for move in last]
    return svg_board(puzzle.position(), lines=arrows)


def _text(text: str) -> str:
    """Return a text as HTML, in which Anki finds no sound or formula of its own."""
    return escape(text).replace("[", "&#91;")


def _deck_number(title: str) -> int:
    """Return a number between 2³⁰ and 2³¹, as Anki's decks have, which depends on the title only."""
    digest = hashlib.sha256(title.encode()).digest()
    return int.from_bytes(digest[:4], "big") % 2**30 + 2**30
