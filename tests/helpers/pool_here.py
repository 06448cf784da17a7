"""Mining in this process: none is started but the engine's."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from unittest.mock import patch

from puzzlegen.games.split import RawGame
from puzzlegen.mining.game import GameResult
from puzzlegen.mining.worker import Pool, WorkerConfig


class PoolHere(Pool):
    """Mines a game as soon as it is handed in."""

    @abstractmethod
    def mine(self, game: RawGame) -> GameResult: ...

    def submit(self, game: RawGame) -> Future[GameResult]:
        future: Future[GameResult] = Future()
        future.set_result(self.mine(game))
        return future

    def places(self) -> int:
        return 1

    def close(self) -> None:
        pass


class WorkerHere(PoolHere):
    """A game worker, in place of a `LocalPool`."""

    def __init__(self, count: int, config: WorkerConfig) -> None:
        self._worker = config.worker()

    def engine_name(self) -> str:
        return self._worker.engine_name

    def mine(self, game: RawGame) -> GameResult:
        return self._worker.mine(game)

    def close(self) -> None:
        self._worker.close()


@contextmanager
def mining_in(pool: type[PoolHere] = WorkerHere) -> Iterator[None]:
    """Let runs without a cluster use this pool."""
    with patch("puzzlegen.mining.run.LocalPool", pool):
        yield


@contextmanager
def analysing_here() -> Iterator[None]:
    """Let games be analysed in this process."""
    with patch("puzzlegen.mining.opportunities.LocalPool", WorkerHere):
        yield
