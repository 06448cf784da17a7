"""Puzzles in the CSV schema of the Lichess puzzle database (https://database.lichess.org/#puzzles)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import TextIO

from chess_motif.errors import TableError
from chess_motif.notation import parse_moves, parse_position
from db.models import Puzzle
from db.rows import PuzzleRow
from puzzlegen.formats.entry import Entry, lines_of, puzzle_row, read_entries
from puzzlegen.games.archive import Archive

SOURCE = "lichess"

COLUMNS = (
    "PuzzleId",
    "FEN",
    "Moves",
    "Rating",
    "RatingDeviation",
    "Popularity",
    "NbPlays",
    "Themes",
    "GameUrl",
    "OpeningTags",
)
# The largest number that every database can store.
LARGEST_NUMBER = 2**31 - 1

_REQUIRED = ("PuzzleId", "FEN", "Moves")


def read(archive: Archive) -> Iterator[Entry]:
    """Yield the puzzles of a file.

    Raises `TableError` if the first line does not name the required columns, `ArchiveError` where the file
    is damaged.
    """
    lines = lines_of(archive)
    _, first = next(lines, ("", ""))
    header = next(csv.reader([first.removeprefix("\ufeff")]), [])
    missing = [name for name in _REQUIRED if name not in header]
    if missing:
        raise TableError(f"{archive.name}: not a Lichess puzzle file: no column {', '.join(missing)}")
    yield from read_entries(lines, lambda line: _puzzle(_parsed(header, line)))


def write(out: TextIO, puzzles: Iterable[Puzzle]) -> int:
    """Write the header and a line for each puzzle. Return how many puzzles.

    The schema includes the opponent's move before the puzzle: puzzles without one are left out.
    """
    table = csv.writer(out, lineterminator="\n")
    table.writerow(COLUMNS)
    written = 0
    for puzzle in puzzles:
        if puzzle.blunder:
            table.writerow(_cells(puzzle))
            written += 1
    return written


def _cells(puzzle: Puzzle) -> list[object]:
    numbers = (puzzle.rating, puzzle.rating_deviation, puzzle.popularity, puzzle.plays)
    return [
        puzzle.source_id or puzzle.id,
        puzzle.fen,
        f"{puzzle.blunder} {puzzle.solution}",
        *("" if number is None else number for number in numbers),
        " ".join(puzzle.all_tags()),
        puzzle.game_url,
        puzzle.opening_tags,
    ]


def _parsed(header: list[str], line: str) -> dict[str, str]:
    try:
        cells = next(csv.reader(io.StringIO(line.replace("\0", "")), strict=True))
    except csv.Error as error:
        raise TableError(f"not CSV: {error}") from error
    if len(cells) != len(header):
        raise TableError(f"{len(cells)} columns instead of {len(header)}")
    return dict(zip(header, cells, strict=True))


def _puzzle(cells: dict[str, str]) -> PuzzleRow:
    before, moves = parse_position(cells["FEN"]), cells["Moves"].split()
    if len(moves) < 2:
        raise TableError("fewer than two moves")
    (blunder,) = parse_moves(before, moves[0])
    position = before.copy()
    position.push(blunder)
    return puzzle_row(position, moves[1:], SOURCE, cells["PuzzleId"], before=before, blunder=blunder) | {
        "rating": _number(cells, "Rating"),
        "rating_deviation": _number(cells, "RatingDeviation"),
        "popularity": _number(cells, "Popularity"),
        "plays": _number(cells, "NbPlays"),
        "themes": " ".join(cells.get("Themes", "").split()),
        "opening_tags": " ".join(cells.get("OpeningTags", "").split()),
        "game_url": cells.get("GameUrl", ""),
    }


def _number(cells: dict[str, str], column: str) -> int | None:
    text = cells.get(column, "")
    if not text:
        return None
    try:
        number = int(text)
    except ValueError as error:
        raise TableError(f"{column} is not a number: {text!r}") from error
    if abs(number) > LARGEST_NUMBER:
        raise TableError(f"{column} is too large: {text}")
    return number
