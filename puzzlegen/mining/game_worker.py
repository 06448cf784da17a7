"""A game worker: an engine, and the rules by which it mines games. Does not depend on where it runs."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from db.evaluations import lookup
from db.packed.file import PackedFile
from db.store import Store
from engines.engine import Engine
from engines.locate import find_engine
from engines.search_cache import CachedEngine
from puzzlegen.games.split import RawGame
from puzzlegen.memory.recall import first_of, recall
from puzzlegen.mining.game_job import GameResult, mine_game
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
