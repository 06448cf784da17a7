"""A pool of engines that analyse stored puzzles in parallel.

Searches whose results are in the store are not repeated. The results of new searches are returned with each
puzzle, for the caller to store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from queue import SimpleQueue
from types import TracebackType
from typing import Generic, TypeVar

from chess_motif.parallel import in_order
from db.evaluations import lookup
from db.models import Puzzle
from db.puzzles import get_puzzles
from db.store import Store
from engines.engine import Engine
from engines.search_cache import CachedEngine

# Puzzles read from the store at a time.
BATCH = 200

R = TypeVar("R")


@dataclass(frozen=True)
class Analysed(Generic[R]):
    """A puzzle and the result of its analysis.

    `searched` has the results of new searches by key; `reused` counts the searches that were not necessary.
    """

    puzzle: Puzzle
    result: R
    searched: dict[bytes, str]
    reused: int


class AnalysisPool:
    """`count` engines at the path `command`. Use it in a `with` statement.

    Raises `EngineError` if they cannot be started.
    """

    def __init__(self, store: Store, command: str, count: int) -> None:
        self._store = store
        self._stack = ExitStack()
        self._idle: SimpleQueue[CachedEngine] = SimpleQueue()
        self.engines = [self._stack.enter_context(Engine(command)) for _ in range(count)]
        for engine in self.engines:
            self._idle.put(CachedEngine(engine, lookup(store)))
        # The engines are processes of their own; threads are enough to wait for them.
        self._threads = ThreadPoolExecutor(count)

    def map(self, work: Callable[[Puzzle, CachedEngine], R], names: Sequence[str]) -> Iterator[Analysed[R]]:
        """Yield what `work` returns for the puzzles with the ids `names`, in this order.

        The next puzzles are worked on meanwhile. Ids that are not in the store are skipped. `work` is called
        again if its engine fails. Raises `EngineFailedError` if it keeps failing.
        """

        def submit(puzzle: Puzzle) -> Future[Analysed[R]]:
            return self._threads.submit(self._analyse, work, puzzle)

        for _, analysed in in_order(submit, self._puzzles(names), lambda: 2 * len(self.engines)):
            yield analysed

    def _puzzles(self, names: Sequence[str]) -> Iterator[Puzzle]:
        for start in range(0, len(names), BATCH):
            batch = names[start : start + BATCH]
            with self._store.reading() as session:
                puzzles = get_puzzles(session, batch)
            yield from (puzzles[name] for name in batch if name in puzzles)

    def _analyse(self, work: Callable[[Puzzle, CachedEngine], R], puzzle: Puzzle) -> Analysed[R]:
        searcher = self._idle.get()
        try:
            searcher.begin()
            result = searcher.engine.attempt(lambda: work(puzzle, searcher))
            return Analysed(puzzle, result, searcher.found, searcher.reused)
        finally:
            self._idle.put(searcher)

    def __enter__(self) -> AnalysisPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            # Work that has begun may finish: closing its engine would make it fail.
            self._threads.shutdown(cancel_futures=True)
        self._stack.close()
        self._threads.shutdown(cancel_futures=True)
