"""Puzzles in EPD files: one position per line, with the solution as its operation `pv` or `bm`.

The move before the puzzle is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO

import chess

from chess_motif.errors import TableError
from chess_motif.notation import parse_position
from db.models import Puzzle
from puzzlegen.formats.entry import Entry, ImportedPuzzle, puzzle_row
from puzzlegen.formats.lines import lines_of, read_entries
from puzzlegen.games.archive import Archive

SOURCE = "epd"


def read(archive: Archive) -> Iterator[Entry]:
    """Yield the puzzles of a file: the solution is the operation `pv`, or else the one move of `bm`.

    Raises `ArchiveError` where the file is damaged.
    """
    return read_entries(lines_of(archive), _puzzle)


def write(out: TextIO, puzzles: Iterable[Puzzle]) -> int:
    """Write a line for each puzzle, with the operations `bm`, `pv` and `id`. Return how many."""
    written = 0
    for puzzle in puzzles:
        moves = puzzle.moves()
        print(puzzle.position().epd(bm=moves[:1], id=puzzle.id, pv=moves), file=out)
        written += 1
    return written


def _puzzle(line: str) -> ImportedPuzzle:
    fields = line.split()[:4]
    # The moves of the operations are read in this position, so it must be legal.
    parse_position(" ".join([*fields, "0 1"]))
    try:
        board, operations = chess.Board.from_epd(line)
    except (ValueError, AssertionError) as error:
        raise TableError(f"not EPD: {error}") from error
    # The operations may have set the move counters.
    position = parse_position(board.fen())
    moves = operations.get("pv") or operations.get("bm")
    if not isinstance(moves, list) or not moves:
        raise TableError("no solution (pv or bm)")
    if "pv" not in operations and len(moves) > 1:
        raise TableError("several best moves")
    name = operations.get("id")
    return ImportedPuzzle(
        puzzle_row(position, [move.uci() for move in moves], SOURCE, "" if name is None else str(name))
    )
