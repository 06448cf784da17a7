"""Puzzles in the CSV schema of the Lichess puzzle database (https://database.lichess.org/#puzzles)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any, TextIO

from chess_motif.errors import TableError
from db.models import Puzzle
from puzzlegen.formats.entry import BadEntryError, Entry, numbered_lines, parse_board, parse_move, puzzle_row
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
# What every database can store as a number.
LARGEST_NUMBER = 2**31 - 1

_NEEDED = ("PuzzleId", "FEN", "Moves")


def read_csv(archive: Archive) -> Iterator[Entry]:
    """Yield the puzzles of the file.

    Raises `TableError` when the first line does not name the needed columns, `ArchiveError` where the
    file is damaged.
    """
    lines = numbered_lines(archive)
    _, first = next(lines, (0, ""))
    header = next(csv.reader([first.removeprefix("\ufeff")]), [])
    missing = [name for name in _NEEDED if name not in header]
    if missing:
        raise TableError(f"{archive.name}: not a Lichess puzzle file: no column {', '.join(missing)}")
    for number, line in lines:
        try:
            yield f"line {number}", _puzzle(_cells(header, line))
        except BadEntryError as error:
            yield f"line {number}", error


def write_header(out: TextIO) -> None:
    """Write the line that names the columns."""
    _writer(out).writerow(COLUMNS)


def write_row(out: TextIO, puzzle: Puzzle) -> None:
    """Write a puzzle; it must begin with the opponent's move, as the schema demands."""
    _writer(out).writerow(
        [
            puzzle.source_id or puzzle.id,
            puzzle.fen,
            f"{puzzle.blunder} {puzzle.solution}",
            *(
                "" if value is None else value
                for value in (puzzle.rating, puzzle.rating_deviation, puzzle.popularity, puzzle.plays)
            ),
            " ".join(sorted({*puzzle.themes.split(), *puzzle.tags.split()})),
            puzzle.game_url,
            puzzle.opening_tags,
        ]
    )


def _writer(out: TextIO) -> Any:
    return csv.writer(out, lineterminator="\n")


def _cells(header: list[str], line: str) -> dict[str, str]:
    try:
        cells = next(csv.reader(io.StringIO(line.replace("\0", "")), strict=True))
    except csv.Error as error:
        raise BadEntryError(f"not CSV: {error}") from error
    if len(cells) != len(header):
        raise BadEntryError(f"{len(cells)} columns instead of {len(header)}")
    return dict(zip(header, cells, strict=True))


def _puzzle(cells: dict[str, str]) -> dict[str, Any]:
    board, moves = parse_board(cells["FEN"]), cells["Moves"].split()
    if len(moves) < 2:
        raise BadEntryError("fewer than two moves")
    blunder = parse_move(board, moves[0])
    before = board.copy()
    board.push(blunder)
    return puzzle_row(board, moves[1:], SOURCE, cells["PuzzleId"], before=before, blunder=blunder) | {
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
        raise BadEntryError(f"{column} is not a number: {text!r}") from error
    if abs(number) > LARGEST_NUMBER:
        raise BadEntryError(f"{column} is too large: {text}")
    return number
