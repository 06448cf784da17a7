"""Work on all cores, its results in order, with a few pieces in memory at a time.

Worker processes are started afresh (`spawn`) and import the module that the work is in, so that should stay
light. A script that uses this needs the usual `if __name__ == "__main__":`.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def chunks_of(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of `size`, the last one shorter."""
    source = iter(items)
    while chunk := list(islice(source, size)):
        yield chunk


def work_in_order(work: Callable[[T], R], pieces: Iterable[T], workers: int | None = None) -> Generator[R]:
    """Yield `work(piece)` for each piece, in order, done by `workers` processes (default: one a core).

    With one worker, this process does it. Pieces are taken as they are needed, a few ahead.
    """
    workers = workers or os.cpu_count() or 1
    if workers == 1:
        yield from map(work, pieces)
        return
    pending: deque[Future[R]] = deque()
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_ignore_interrupts)
    try:
        for piece in pieces:
            pending.append(pool.submit(work, piece))
            if len(pending) > 2 * workers:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the parent, which then stops its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
