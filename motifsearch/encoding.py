"""Stored puzzles to documents of terms, on all cores where there are many.

Worker processes are started afresh (`spawn`) and import this module, so it stays light. A script that
indexes many puzzles needs the usual `if __name__ == "__main__":`.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context

from chess_motif.errors import PositionError
from motifsearch.notation import parse_moves, parse_position
from motifsearch.terms import Mode, encode

# Puzzles handed to a worker at a time: some tenths of a second of work.
CHUNK = 500

# With fewer puzzles, starting workers takes longer than the work.
WORTH_WORKERS = 2000


@dataclass(frozen=True)
class Row:
    """What is needed of a stored puzzle. `number` is its number in the database."""

    number: int
    id: str
    puzzle_fen: str
    solution: str


@dataclass(frozen=True)
class Encoded:
    """A puzzle's terms by field, joined by blanks; none, and `problem` says why, if it is unreadable."""

    number: int
    id: str
    fields: dict[str, str]
    problem: str = ""


def encode_all(rows: Iterable[Row], expected: int, mode: Mode) -> Iterator[Encoded]:
    """Yield the rows encoded, in their order, holding no more than a few chunks in memory.

    `expected` is about how many rows there are; it decides whether workers are started.
    """
    chunks = _chunks(rows)
    workers = os.cpu_count() or 1
    if expected < WORTH_WORKERS or workers == 1:
        for chunk in chunks:
            yield from _encode_chunk(chunk, mode)
        return
    pending: deque[Future[list[Encoded]]] = deque()
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_ignore_interrupts)
    try:
        for chunk in chunks:
            pending.append(pool.submit(_encode_chunk, chunk, mode))
            if len(pending) > 2 * workers:
                yield from pending.popleft().result()
        while pending:
            yield from pending.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _chunks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    source = iter(rows)
    while chunk := list(islice(source, CHUNK)):
        yield chunk


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


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the parent, which then stops its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
