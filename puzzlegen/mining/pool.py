"""What all pools of game workers share: games go in, and their results come out in the same order.

Each kind of pool decides where the workers are, and what happens if one is lost: `local_pool.LocalPool` on
this computer, `dask_pool.DaskPool` on many.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from typing import Self

from chess_motif.parallel import in_order
from puzzlegen.candidates.prefilter import SkippedSpan
from puzzlegen.games.split import RawGame
from puzzlegen.mining.game_job import GameResult

# Games and spans read ahead per worker: enough that a long game does not leave the other workers idle.
AHEAD = 16


class Pool(ABC):
    """Game workers with the same configuration. Use it in a `with` statement."""

    @abstractmethod
    def engine_name(self) -> str:
        """Return what the workers' engine calls itself. Raises `EngineError`, `ClusterError`."""

    @abstractmethod
    def submit(self, game: RawGame) -> Future[GameResult]:
        """Hand a game to the next free worker.

        The future raises errors that a worker cannot recover from, such as `EngineMissingError`. It can be
        cancelled until a worker has begun the game.
        """

    @abstractmethod
    def places(self) -> int:
        """Return how many games are mined at a time, at least 1."""

    @abstractmethod
    def close(self) -> None:
        """End the workers, including busy ones."""

    def results(
        self, games: Iterable[RawGame | SkippedSpan], stopping: Callable[[], bool] = lambda: False
    ) -> Generator[tuple[RawGame | SkippedSpan, GameResult | SkippedSpan]]:
        """Yield each game with its result, in order; skipped spans are their own results.

        Once `stopping()` is true no further game is begun, and those that have been begun are finished.
        """
        return in_order(self._begin, games, lambda: AHEAD * self.places(), stopping)

    def _begin(self, item: RawGame | SkippedSpan) -> Future[GameResult | SkippedSpan]:
        future: Future[GameResult | SkippedSpan]
        if isinstance(item, RawGame):
            future = self.submit(item)  # type: ignore[assignment]  # a future's result type is invariant
        else:
            future = Future()
            future.set_result(item)
        return future

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
