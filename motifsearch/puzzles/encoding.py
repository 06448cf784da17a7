"""Encoding stored puzzles as terms, on all cores if there are many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from chess_motif.errors import PositionError
from chess_motif.notation import parse_moves, parse_position
from chess_motif.parallel import chunks_of, in_processes
from motifsearch.terms import Mode, encode

# Puzzles handed to a worker at a time: a few tenths of a second of work.
CHUNK = 500

# With fewer puzzles, starting workers takes longer than the work.
WORTH_WORKERS = 2000


@dataclass(frozen=True)
class Row:
    """What terms are made from: some columns of a stored puzzle. `number` is its number in the database."""

    number: int
    id: str
    puzzle_fen: str
    solution: str


@dataclass(frozen=True)
class Encoded:
    """A puzzle's terms by field, separated by blanks; if it is unreadable, none, and `problem` says why."""

    number: int
    id: str
    fields: dict[str, str]
    problem: str = ""


def encode_all(rows: Iterable[Row], expected: int, mode: Mode) -> Iterator[Encoded]:
    """Yield the encoded rows in their order, with no more than a few chunks in memory.

    `expected` is the approximate number of rows; it decides whether worker processes are started.
    """
    workers = 1 if expected < WORTH_WORKERS else None
    for encoded in in_processes(partial(_encode_chunk, mode=mode), chunks_of(rows, CHUNK), workers):
        yield from encoded


def _encode_chunk(rows: list[Row], mode: Mode) -> list[Encoded]:
    return [_encode_row(row, mode) for row in rows]


def _encode_row(row: Row, mode: Mode) -> Encoded:
    try:
        board = parse_position(row.puzzle_fen)
        moves = parse_moves(board, row.solution)
    except PositionError as error:
        return Encoded(row.number, row.id, {}, str(error))
    fields = {field: " ".join(terms) for field, terms in encode(board, moves, mode).items()}
    return Encoded(row.number, row.id, fields)
