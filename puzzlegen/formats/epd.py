"""Puzzles in EPD files: one position per line, with the solution as its operation `pv` or `bm`.

An exercise has all its accepted moves in `bm`, and the word `exercise` as its comment `c0`. The move before
the puzzle is not known.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TextIO

import chess

from chess_motif.errors import TableError
from chess_motif.notation import parse_position
from db.models import Kind, Puzzle
from puzzlegen.formats.entry import Reader, puzzle_row
from puzzlegen.formats.lines import lines_of

SOURCE = "epd"

_EXERCISE = Kind.EXERCISE.value


def write(out: TextIO, puzzles: Iterable[Puzzle]) -> None:
    """Write a line for each puzzle, with the operations `bm`, `id` and `pv`."""
    for puzzle in puzzles:
        moves, accepted = puzzle.moves(), puzzle.accepted_moves()
        kind: dict[str, Any] = {"c0": _EXERCISE} if accepted else {}
        line = puzzle.position().epd(bm=accepted or moves[:1], id=puzzle.id, pv=moves, **kind)
        print(line, file=out)


def _puzzle(line: str) -> Puzzle:
    """Return the puzzle of a line: the solution is the operation `pv`, or else the first move of `bm`.

    Several moves in `bm` make an exercise.
    """
    fields = line.split()[:4]
    # The moves of the operations are read in this position, so it must be legal.
    parse_position(" ".join([*fields, "0 1"]))
    try:
        board, operations = chess.Board.from_epd(line)
    except (ValueError, AssertionError) as error:
        raise TableError(f"not EPD: {error}") from error
    # The operations may have set the move counters.
    position = parse_position(board.fen())
    best = operations.get("bm")
    best = best if isinstance(best, list) else []
    moves = operations.get("pv") or best[:1]
    if not isinstance(moves, list) or not moves:
        raise TableError("no solution (pv or bm)")
    facts = {}
    if len(best) > 1 or operations.get("c0") == _EXERCISE:
        # They are in alphabetical order, but the solution begins with the best one.
        accepted = sorted(best, key=lambda move: move != moves[0])
        facts = {"Kind": _EXERCISE, "Accepted": ",".join(move.uci() for move in accepted)}
    name = operations.get("id")
    solution = [move.uci() for move in moves]
    return puzzle_row(position, solution, SOURCE, "" if name is None else str(name), facts=facts)


read = Reader(lines_of, _puzzle)
