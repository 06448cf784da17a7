"""Puzzles in the CSV schema of the Lichess puzzle database (https://database.lichess.org/#puzzles).

Facts that it has no column for are words among the themes, such as `source:mined gap:0.71 found:no`, or
`kind:exercise accepted:e2e4,d2d4`. A puzzle without a rating gets its estimated difficulty in the column
`Rating`, and the word `rating:estimated`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TextIO
from urllib.parse import quote, unquote

from chess_motif.errors import TableError
from db.models import Puzzle
from puzzlegen.formats.entry import LICHESS, Entry, after_blunder, facts_of, puzzle_row
from puzzlegen.formats.lines import read_table
from puzzlegen.games.archive import Archive

SOURCE = "lichess"

_REQUIRED = ("PuzzleId", "FEN", "Moves")
COLUMNS = (*_REQUIRED, *LICHESS)

# How facts without a column begin as words among the themes.
_IN_THEMES = {
    "kind": "Kind",
    "accepted": "Accepted",
    "source": "Source",
    "gap": "Gap",
    "found": "SolverFound",
    "difficulty": "Difficulty",
    "margin": "DifficultyMargin",
    "chance": "FirstMoveChance",
}
_ESTIMATED = "rating:estimated"

# Characters of such a word that are not encoded, letters and digits aside.
_PLAIN = "/,"

# Columns of free text. A spreadsheet would run a cell that begins with one of these characters (also as
# wide ones) as a formula; it shows one that begins with an apostrophe as text.
_FREE_TEXT = ("PuzzleId", "Themes", "GameUrl", "OpeningTags")
_FORMULA = re.compile("'*[-=+@\uff0d\uff1d\uff0b\uff20]")
_ESCAPE = "'"


def read(archive: Archive) -> Iterator[Entry]:
    """Yield the puzzles of a file.

    Raises `TableError` if the first line does not name the required columns, `ArchiveError` where the file
    is damaged.
    """
    return read_table(archive, _REQUIRED, _puzzle)


def write(out: TextIO, puzzles: Iterable[Puzzle]) -> None:
    """Write the header and a line for each puzzle. Each must have the blunder before it."""
    table = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows(map(_cells, puzzles))


def _cells(puzzle: Puzzle) -> dict[str, str]:
    facts = facts_of(puzzle)
    if facts["Source"] == SOURCE:
        facts["Source"] = ""
    words = [f"{word}:{quote(facts[name], safe=_PLAIN)}" for word, name in _IN_THEMES.items() if facts[name]]
    if puzzle.rating is None and puzzle.difficulty is not None:
        facts["Rating"] = str(round(puzzle.difficulty))
        words.append(_ESTIMATED)
    cells = {
        "PuzzleId": puzzle.source_id or puzzle.id,
        "FEN": puzzle.fen,
        "Moves": f"{puzzle.blunder} {puzzle.solution}",
        **{name: facts[name] for name in LICHESS},
        "Themes": " ".join(filter(None, [facts["Themes"], *words])),
    }
    return cells | {name: _ESCAPE + cells[name] for name in _FREE_TEXT if _FORMULA.match(cells[name])}


def _facts(cells: Mapping[str, str]) -> dict[str, str]:
    """Return the facts of a line, with those among its themes."""
    themes, facts = [], dict(cells)
    for theme in cells.get("Themes", "").split():
        word, _, value = theme.partition(":")
        if theme == _ESTIMATED:
            facts["Rating"] = ""
        elif value and word in _IN_THEMES:
            facts[_IN_THEMES[word]] = unquote(value)
        else:
            themes.append(theme)
    return facts | {"Themes": " ".join(themes)}


def _puzzle(cells: dict[str, str]) -> Puzzle:
    for name in _FREE_TEXT:
        if _FORMULA.match(cells.get(name, "")):
            cells[name] = cells[name].removeprefix(_ESCAPE)
    moves = cells["Moves"].split()
    if len(moves) < 2:
        raise TableError("fewer than two moves")
    position = after_blunder(cells["FEN"], moves[0])
    return puzzle_row(position, moves[1:], SOURCE, cells["PuzzleId"], facts=_facts(cells))
