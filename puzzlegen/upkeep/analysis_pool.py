"""A pool of engines that analyse stored puzzles in parallel.

Searches whose results are in the store are not repeated. The results of new searches are returned with each
puzzle, for the caller to store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from db.evaluations import lookup
from db.models import Puzzle
from db.puzzles import get_puzzles
from db.store import Store
from engines.pool import Analysed, EnginePool
from engines.search_cache import CachedEngine

# Puzzles read from the store at a time.
BATCH = 200

R = TypeVar("R")


class AnalysisPool(EnginePool):
    """`count` engines at the path `command` for the puzzles of a store. Use it in a `with` statement.

    Raises `EngineError` if they cannot be started.
    """

    def __init__(self, store: Store, command: str, count: int) -> None:
        super().__init__(command, count, lookup(store))
        self._store = store

    def map_puzzles(
        self, work: Callable[[Puzzle, CachedEngine], R], names: Sequence[str]
    ) -> Iterator[Analysed[Puzzle, R]]:
        """Yield what `work` returns for the puzzles with the ids `names`, see `EnginePool.map`.

        Ids that are not in the store are skipped.
        """
        return self.map(work, self._puzzles(names))

    def _puzzles(self, names: Sequence[str]) -> Iterator[Puzzle]:
        for start in range(0, len(names), BATCH):
            batch = names[start : start + BATCH]
            with self._store.reading() as session:
                puzzles = get_puzzles(session, batch)
            yield from (puzzles[name] for name in batch if name in puzzles)
