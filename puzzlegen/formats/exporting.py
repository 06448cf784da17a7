"""Writing puzzles to a file: Lichess CSV, PGN, EPD or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TextIO

import chess
import chess.pgn

from chess_motif.errors import InputError
from chess_motif.output import output
from db.models import Puzzle
from db.puzzles import PuzzleFilter, find_puzzles
from db.store import Store
from puzzlegen.formats.jsonl import as_dict
from puzzlegen.formats.lichess_csv import write_header, write_row
from puzzlegen.games.headers import pgn_headers
from puzzlegen.games.pgn import header_text


class Format(StrEnum):
    """The kinds of file that puzzles can be written to."""

    CSV = "csv"
    PGN = "pgn"
    EPD = "epd"
    JSONL = "jsonl"


@dataclass
class ExportReport:
    """Counts of an export. `left_out` puzzles have no move before them, which the CSV schema needs."""

    written: int = 0
    left_out: int = 0


def format_of(path: str) -> Format:
    """Return the format that a file's name asks for. Raises `InputError`."""
    suffix = Path(path).suffix.removeprefix(".").lower()
    try:
        return Format(suffix)
    except ValueError as error:
        known = ", ".join(kind.value for kind in Format)
        raise InputError(
            f"{path}: which format? End the name in, or give --format, one of: {known}"
        ) from error


def export_puzzles(
    path: str, kind: Format, store: Store, wanted: PuzzleFilter | None = None, limit: int | None = None
) -> ExportReport:
    """Write the puzzles that pass the filter to `path` (`-`: standard output), oldest first.

    The file appears when it is complete, or not at all. Raises `InputError` when it cannot be written.
    """
    report = ExportReport()
    with output(path) as out, store.reading() as session:
        if kind is Format.CSV:
            write_header(out)
        write = _WRITERS[kind]
        for puzzle in find_puzzles(session, wanted, limit):
            if kind is Format.CSV and not puzzle.blunder:
                report.left_out += 1
            else:
                write(out, puzzle)
                report.written += 1
    return report


def _write_jsonl(out: TextIO, puzzle: Puzzle) -> None:
    print(json.dumps(as_dict(puzzle), ensure_ascii=False), file=out)


def _write_epd(out: TextIO, puzzle: Puzzle) -> None:
    moves = puzzle.moves()
    print(puzzle.position().epd(bm=moves[:1], id=puzzle.id, pv=moves), file=out)


def _write_pgn(out: TextIO, puzzle: Puzzle) -> None:
    game = chess.pgn.Game()
    game.setup(puzzle.position())
    game.add_line(puzzle.moves())
    game.headers.update(pgn_headers(puzzle.game))
    # The solution is not how the game went on.
    game.headers["Result"] = "*"
    game.headers["Event"] = f"Puzzle {puzzle.id}"
    if puzzle.game_url:
        game.headers["Site"] = header_text(puzzle.game_url)
    game.headers["PuzzleId"] = puzzle.id
    if puzzle.rating is not None:
        game.headers["PuzzleRating"] = str(puzzle.rating)
    print(game, end="\n\n", file=out)


_WRITERS: dict[Format, Callable[[TextIO, Puzzle], None]] = {
    Format.CSV: write_row,
    Format.PGN: _write_pgn,
    Format.EPD: _write_epd,
    Format.JSONL: _write_jsonl,
}
