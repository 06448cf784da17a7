"""Puzzles in EPD files: one position per line, with the solution as the operation `pv` or `bm`.

An exercise has all accepted moves in `bm`, and the word `exercise` as the comment `c0`. The opponent's last
move is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TextIO

from chess_motif.errors import PositionError, TableError
from chess_motif.notation import parse_line, parse_position
from db.models import Kind, Puzzle
from puzzlegen.formats.entry import Parsed, Reader, parsed_puzzle
from puzzlegen.formats.lines import lines_of

SOURCE = "epd"

_EXERCISE = Kind.EXERCISE.value

# The name of an operation, and its operand: a text in quotation marks, or everything up to a semicolon.
_OPERATION = re.compile(r'([^\s;]+)\s*(?:"((?:[^"\\]|\\.)*)"?|([^;]*))')
_ESCAPED = re.compile(r'\\(["\\])')


def write(out: TextIO, puzzles: Iterable[Puzzle]) -> None:
    """Write a line for each puzzle, with the operations `bm`, `id` and `pv`."""
    for puzzle in puzzles:
        moves, accepted = puzzle.moves(), puzzle.accepted_moves()
        kind: dict[str, Any] = {"c0": _EXERCISE} if accepted else {}
        name = puzzle.source_id or puzzle.id
        line = puzzle.position().epd(bm=accepted or moves[:1], id=name, pv=moves, **kind)
        print(line, file=out)


def _puzzle(line: str) -> Parsed:
    """Return the puzzle of a line: the solution is the operation `pv`, or else the first move of `bm`.

    Several moves in `bm` make an exercise.
    """
    *fields, text = [*line.split(maxsplit=4), ""][:5]
    operations = {
        opcode: _ESCAPED.sub(r"\1", quoted) or plain.strip()
        for opcode, quoted, plain in _OPERATION.findall(text)
    }
    clock, number = operations.get("hmvc", "0"), operations.get("fmvn", "1")
    position = parse_position(" ".join([*fields, clock, number]))
    try:
        # A move may be named twice, such as with and without the check sign.
        words = operations.get("bm", "").split()
        best = list(dict.fromkeys(parse_line(position, word)[0] for word in words))
        moves = parse_line(position, operations["pv"]) if operations.get("pv") else best[:1]
    except PositionError as error:
        raise TableError(f"not EPD: {error}") from error
    if not moves:
        raise TableError("no solution (pv or bm)")
    if best and moves[0] not in best:
        raise TableError(f"pv begins with {position.san(moves[0])}, which is not in bm")
    facts = {}
    if len(best) > 1 or operations.get("c0") == _EXERCISE:
        # The moves of `bm` are in alphabetical order, but the solution begins with the best one.
        accepted = sorted(best, key=lambda move: move != moves[0])
        facts = {"Kind": _EXERCISE, "Accepted": ",".join(move.uci() for move in accepted)}
    solution = [move.uci() for move in moves]
    return parsed_puzzle(position, solution, SOURCE, operations.get("id", ""), facts=facts)


read = Reader(lines_of, _puzzle)
