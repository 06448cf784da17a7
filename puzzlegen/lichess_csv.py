"""Puzzles in the CSV schema of the Lichess puzzle database (https://database.lichess.org/#puzzles)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any, TextIO

import chess

from chess_motif.errors import ArchiveError, TableError
from db.models import Puzzle
from db.puzzles import puzzle_id
from puzzlegen.archive import Archive
from puzzlegen.tags import solution_tags

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
_NEEDED = ("PuzzleId", "FEN", "Moves")

# A longer line is not a puzzle; the longest in the Lichess database has some 600 characters.
LONGEST_LINE = 100_000


class BadRowError(TableError):
    """A row that cannot be used. The message says what is wrong with it, not where it stands."""


def read_rows(archive: Archive) -> Iterator[tuple[int, dict[str, Any] | BadRowError]]:
    """Yield each row's line number with the columns of `db.models.Puzzle`, or what is wrong with it.

    Raises `TableError` when the first line does not name the needed columns, `ArchiveError` where the
    file is damaged.
    """
    lines = _lines(archive)
    _, first = next(lines, (0, ""))
    header = next(csv.reader([first.removeprefix("\ufeff")]), [])
    missing = [name for name in _NEEDED if name not in header]
    if missing:
        raise TableError(f"{archive.name}: not a Lichess puzzle file: no column {', '.join(missing)}")
    for number, line in lines:
        try:
            yield number, _puzzle(_cells(header, line))
        except BadRowError as error:
            yield number, error


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


def _lines(archive: Archive) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers, blank ones left out."""
    rest, number = b"", 0
    for chunk in archive.chunks():
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            number += 1
            if line.strip():
                yield number, line.decode("utf-8", errors="replace").rstrip("\r")
        if len(rest) > LONGEST_LINE:
            raise ArchiveError(f"{archive.name}: line {number + 1} has no end; this is not a CSV file")
    if rest.strip():
        yield number + 1, rest.decode("utf-8", errors="replace").rstrip("\r")


def _cells(header: list[str], line: str) -> dict[str, str]:
    try:
        cells = next(csv.reader(io.StringIO(line.replace("\0", "")), strict=True))
    except csv.Error as error:
        raise BadRowError(f"not CSV: {error}") from error
    if len(cells) != len(header):
        raise BadRowError(f"{len(cells)} columns instead of {len(header)}")
    return dict(zip(header, cells, strict=True))


def _puzzle(cells: dict[str, str]) -> dict[str, Any]:
    fen, moves = cells["FEN"], cells["Moves"].split()
    try:
        board = chess.Board(fen)
    except ValueError as error:
        raise BadRowError(f"illegal FEN: {error}") from error
    if not board.is_valid():
        raise BadRowError(f"illegal position: {fen}")
    if len(moves) < 2:
        raise BadRowError("fewer than two moves")
    played = [_play(board, moves[0])]
    position = board.copy(stack=False)
    played += [_play(board, move) for move in moves[1:]]
    solution = played[1:]
    return {
        "id": puzzle_id(position, solution[0]),
        "fen": fen,
        "blunder": played[0].uci(),
        "puzzle_fen": position.fen(),
        "solution": " ".join(move.uci() for move in solution),
        "ends": "mate" if board.is_checkmate() else "",
        "tags": " ".join(solution_tags(position, solution)),
        "source": SOURCE,
        "source_id": cells["PuzzleId"],
        "rating": _number(cells, "Rating"),
        "rating_deviation": _number(cells, "RatingDeviation"),
        "popularity": _number(cells, "Popularity"),
        "plays": _number(cells, "NbPlays"),
        "themes": " ".join(cells.get("Themes", "").split()),
        "opening_tags": " ".join(cells.get("OpeningTags", "").split()),
        "game_url": cells.get("GameUrl", ""),
    }


def _play(board: chess.Board, uci: str) -> chess.Move:
    try:
        move = board.parse_uci(uci)
    except ValueError as error:
        raise BadRowError(f"illegal move {uci}") from error
    if not move:
        raise BadRowError(f"illegal move {uci}")
    board.push(move)
    return move


def _number(cells: dict[str, str], column: str) -> int | None:
    text = cells.get(column, "")
    if not text:
        return None
    try:
        return int(text)
    except ValueError as error:
        raise BadRowError(f"{column} is not a number: {text!r}") from error
