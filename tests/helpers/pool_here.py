"""Mining in this process: none is started but the engine's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from unittest.mock import patch

from puzzlegen.games.split import RawGame
from puzzlegen.mining.game import GameResult
from puzzlegen.mining.workers import GameWorker, Pool, WorkerConfig


class PoolHere:
    """A `Pool` that mines a game as soon as it is handed in."""

    def __init__(
        self, engine: str, mine: Callable[[RawGame], GameResult], close: Callable[[], None] = lambda: None
    ) -> None:
        self._engine = engine
        self._mine = mine
        self.close = close

    def engine_name(self) -> str:
        return self._engine

    def submit(self, game: RawGame) -> Future[GameResult]:
        future: Future[GameResult] = Future()
        future.set_result(self._mine(game))
        return future

    def places(self) -> int:
        return 1


def worker_here(count: int, config: WorkerConfig) -> Pool:
    """Return a pool of one game worker, which is in this process."""
    worker = GameWorker(config)
    return PoolHere(worker.engine_name, worker.mine, worker.close)


@contextmanager
def mining_in(pool: Callable[[int, WorkerConfig], Pool] = worker_here) -> Iterator[None]:
    """Let runs without a cluster use what this returns in place of a `LocalPool`."""
    with (
        patch("puzzlegen.mining.run.LocalPool", pool),
        patch("motifsearch.trainer.analysis.opportunities.LocalPool", pool),
    ):
        yield
