"""A pool of engines that work on items in parallel: positions, puzzles, or anything else to be searched.

Searches with a stored result are not repeated. The results of new searches are returned with each item, for
the caller to store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Generic, Self, TypeVar

from chess_motif.parallel import in_order
from chess_motif.search import Search
from engines.engine import Engine
from engines.options import EngineChoice
from engines.search_cache import CachedEngine, Lookup

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Analysed(Generic[T, R]):
    """An item and the result of its analysis.

    `searched` has the results of new searches; `reused` counts the results that were looked up instead.
    """

    item: T
    result: R
    searched: dict[Search, str]
    reused: int


class EnginePool:
    """A pool of `count` engines with the same setup. Use it in a `with` statement.

    `lookup` returns the results of earlier searches. Raises `EngineError` if an engine cannot be started.
    """

    def __init__(self, engine: EngineChoice, count: int, lookup: Lookup | None = None) -> None:
        self._stack = ExitStack()
        self._idle: SimpleQueue[CachedEngine] = SimpleQueue()
        self.engines = [self._stack.enter_context(Engine(engine)) for _ in range(count)]
        for opened in self.engines:
            self._idle.put(CachedEngine(opened, lookup))
        # Threads are enough, since the engines are processes of their own.
        self._threads = ThreadPoolExecutor(count)

    def map(self, work: Callable[[T, CachedEngine], R], items: Iterable[T]) -> Iterator[Analysed[T, R]]:
        """Yield the result of `work` for each item, in order, while the next items are worked on.

        Raises what `work` raises, such as `EngineFailedError`.
        """

        def submit(item: T) -> Future[Analysed[T, R]]:
            return self._threads.submit(self._analyse, work, item)

        for _, analysed in in_order(submit, items, lambda: 2 * len(self.engines)):
            yield analysed

    def _analyse(self, work: Callable[[T, CachedEngine], R], item: T) -> Analysed[T, R]:
        searcher = self._idle.get()
        try:
            searcher.begin()
            result = work(item, searcher)
            return Analysed(item, result, searcher.found, searcher.reused)
        finally:
            self._idle.put(searcher)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> None:
        if kind is None:
            # Work that has begun must finish: it would fail if its engine were closed.
            self._threads.shutdown(cancel_futures=True)
        self._stack.__exit__(kind, *error)
        self._threads.shutdown(cancel_futures=True)
