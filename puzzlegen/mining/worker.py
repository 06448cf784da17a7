"""A game worker: an engine, and the rules by which it mines games. Does not depend on where it runs.

What all pools of game workers share: games go in, and their results come out in the same order.

Each kind of pool decides where the workers are, and what happens if one is lost: `local_pool.LocalPool` on
this computer, `dask_pool.DaskPool` on many.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from chess_motif.parallel import in_order
from db.evaluations import lookup
from db.packed.file import PackedFile
from db.store import Store
from engines.engine import Engine, find_engine
from engines.search_cache import CachedEngine
from puzzlegen.cache import first_of, recall
from puzzlegen.candidates import SkippedSpan
from puzzlegen.games.split import RawGame
from puzzlegen.mining.game import GameResult, mine_game
from puzzlegen.rules import MiningRules


@dataclass(frozen=True)
class WorkerConfig:
    """The configuration of a game worker: the engine's path, the rules, and whose games to mine.

    Without a path the engine is Stockfish, wherever it is installed on the worker's computer. Searches are
    looked up in the store with the URL `store` and in the packed file `memory`, if any.
    """

    engine_path: str | None
    rules: MiningRules
    player: str | None = None
    store: str | None = None
    memory: Path | None = None

    def worker(self) -> GameWorker:
        """Return a worker with this configuration. Raises `EngineError`, `StoreError`."""
        return GameWorker(self)


class GameWorker:
    """Mines one game at a time. Close it, or use it in a `with` statement."""

    def __init__(self, config: WorkerConfig) -> None:
        """Start the engine and open the store. Raises `EngineError`, `StoreError`."""
        self.config = config
        with ExitStack() as stack:
            self._engine = stack.enter_context(Engine(find_engine(config.engine_path)))
            lookups = []
            if config.store:
                lookups.append(lookup(stack.enter_context(Store(config.store))))
            if config.memory:
                lookups.append(recall(stack.enter_context(PackedFile(config.memory))))
            self.searcher = CachedEngine(self._engine, first_of(*lookups))
            self._opened = stack.pop_all()

    @property
    def engine_name(self) -> str:
        """What the engine calls itself."""
        return self._engine.name

    def mine(self, raw: RawGame) -> GameResult:
        """Return the result of mining a game. Raises `StoreError`."""
        return mine_game(raw, self.searcher, self.config.rules, self.config.player)

    def close(self) -> None:
        """Stop the engine, and close the store and the memory."""
        self._opened.close()

    def __enter__(self) -> GameWorker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


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
