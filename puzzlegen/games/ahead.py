"""Reading ahead in threads, so that unpacking an archive and looking at its text go on side by side."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from chess_motif.errors import ChessMotifError

T = TypeVar("T")
R = TypeVar("R")

# Pieces read ahead: enough to bridge an uneven pace, few enough for flat memory.
PIECES = 4


def read_ahead(pieces: Iterator[bytes]) -> Generator[bytes]:
    """Yield `pieces` in order, the next few of which are being read meanwhile.

    An error comes out where it belongs. Ends the thread when it is closed, once the piece at hand is
    read; so what it reads from must not wait for anybody.
    """
    with ThreadPoolExecutor(1, "read-ahead") as reader:
        reading = deque(reader.submit(next, pieces, None) for _ in range(PIECES))
        while (piece := reading.popleft().result()) is not None:
            reading.append(reader.submit(next, pieces, None))
            yield piece


def work_ahead(work: Callable[[T], R], items: Iterator[T], threads: int) -> Generator[R]:
    """Yield `work(item)` for each of `items`, in order, some of which are worked on meanwhile.

    What is given by `items` is taken here, not in the threads. An error of theirs comes out after the
    results of what they gave before.
    """
    failure = None
    with ThreadPoolExecutor(threads, "work-ahead") as workers:
        working: deque[Future[R]] = deque()
        while True:
            try:
                missing = 0 if failure else threads - len(working)
                working.extend(workers.submit(work, item) for item in islice(items, missing))
            except ChessMotifError as error:
                failure = error
            if not working:
                break
            yield working.popleft().result()
    if failure is not None:
        raise failure
