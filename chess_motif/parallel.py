"""Parallel work with its results in order and a bounded number of items in memory.

Worker processes are spawned, not forked: they import the module that defines the work, which should
therefore import quickly.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from itertools import islice, repeat
from threading import Lock, Thread
from types import ModuleType
from typing import TypeVar

from chess_motif.errors import ChessMotifError, WorkerDiedError

T = TypeVar("T")
R = TypeVar("R")

# Seconds between checks whether to stop.
CHECK_EVERY = 0.2

# Pieces that `read_ahead` reads ahead: enough to even out the pace, few enough to keep memory flat.
PIECES = 4

# The most processes that Python's pool can have on Windows.
MOST_PROCESSES = 61

# The process groups that end with a worker. Whoever starts a group adds it here, and removes it at its end.
process_groups: set[int] = set()

# Held while a thread starts processes, since that changes `sys.modules` for all threads.
_starting = Lock()


def in_order(
    submit: Callable[[T], Future[R]],
    items: Iterable[T],
    ahead: Callable[[], int],
    stopping: Callable[[], bool] = lambda: False,
) -> Generator[tuple[T, R]]:
    """Yield each item with its result, in order, while up to `ahead()` items are worked on.

    `submit` schedules the work on an item. A `ChessMotifError` that `items` raises is raised after the
    results of the items before it. Once `stopping()` is true, no further item is scheduled and items that
    have not begun are cancelled; the results of all other scheduled items are still yielded.
    """
    source = iter(items)
    pending: deque[tuple[T, Future[R]]] = deque()
    failure: ChessMotifError | None = None
    more = True
    try:
        while True:
            while more and len(pending) < ahead() and not stopping():
                try:
                    item = next(source)
                except StopIteration:
                    more = False
                except ChessMotifError as error:
                    failure, more = error, False
                else:
                    pending.append((item, submit(item)))
                    # A finished result need not wait for the window to fill.
                    if pending[0][1].done():
                        break
            if not pending:
                break
            item, first = pending[0]
            if not _wait(first, pending, stopping):
                return
            pending.popleft()
            yield item, first.result()
    finally:
        for _, future in pending:
            future.cancel()
    if failure is not None:
        raise failure


def _wait(first: Future[R], pending: Iterable[tuple[T, Future[R]]], stopping: Callable[[], bool]) -> bool:
    """Wait for the first of the pending futures; return False if it was cancelled before it began."""
    while not first.done():
        if stopping():
            for _, future in reversed([*pending]):
                future.cancel()
        wait([first], timeout=CHECK_EVERY)
    return not first.cancelled()


@contextmanager
def starting_workers(work: Callable[..., object]) -> Iterator[None]:
    """Shield processes that are started in the block, and will do `work`, from Ctrl-C.

    A spawned process normally runs the main script again, in case `work` is defined there. Unless `work`
    needs the script, this is prevented, so that scripts need no `if __name__ == "__main__":`.
    """
    with _starting, _ctrl_c_blocked():
        script = sys.modules["__main__"]
        if b"__main__" not in pickle.dumps(work):
            sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = script


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """Block Ctrl-C in this thread, and in the processes that it starts in the block."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def prepare_worker() -> None:
    """Make this worker process end at SIGTERM, and whenever its parent process ends.

    The processes in `process_groups` are killed, too, since some do not notice that their input is closed.
    Start the worker in `starting_workers`, which leaves Ctrl-C to the parent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    assert parent is not None
    parent.join()
    _end()


def _end(*_: object) -> None:
    if sys.platform != "win32":
        for group in [*process_groups]:
            # macOS forbids it where all have ended.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
    os._exit(1)


def in_processes(work: Callable[[T], R], items: Iterable[T], workers: int | None = None) -> Generator[R]:
    """Yield `work(item)` for each item, in order, computed by `workers` processes.

    The default is one process for each core; `MOST_PROCESSES` is the most. With one worker, this process
    does the work. Items are read lazily, a few ahead. Raises `WorkerDiedError` if a process is killed.
    """
    workers = min(workers or os.cpu_count() or 1, MOST_PROCESSES)
    if workers == 1:
        yield from map(work, items)
        return
    # Imported only here and above: few commands start processes.
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=prepare_worker)

    def submit(item: T) -> Future[R]:
        with starting_workers(work):
            return pool.submit(work, item)

    try:
        for _, result in in_order(submit, items, lambda: 2 * workers):
            yield result
    except BrokenProcessPool as error:
        message = "a worker process was killed, perhaps because there is too little memory"
        raise WorkerDiedError(message) from error
    finally:
        pool.shutdown(cancel_futures=True)


def read_ahead(pieces: Iterator[bytes]) -> Generator[bytes]:
    """Yield `pieces` in order, while a thread reads the next `PIECES` of them.

    An error is raised after the pieces before it. Closing the generator waits until the thread has read its
    current piece, so `pieces` must not block (as a pipe does).
    """
    with ThreadPoolExecutor(1, "read-ahead") as reader:
        reading = in_order(lambda _: reader.submit(next, pieces, None), repeat(None), lambda: PIECES)
        for _, piece in reading:
            if piece is None:
                reading.close()
                return
            yield piece


def chunks_of(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of `size` items. The last list, or one before a `ChessMotifError`, may be shorter."""
    source = iter(items)
    more = True
    while more:
        chunk: list[T] = []
        try:
            for item in islice(source, size):
                chunk.append(item)
        except ChessMotifError:
            if chunk:
                yield chunk
            raise
        more = len(chunk) == size
        if chunk:
            yield chunk
