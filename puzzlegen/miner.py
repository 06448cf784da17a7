"""One miner: an engine of its own and what it is to do with games. The same wherever it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chess_motif.errors import StoreError
from db.evaluations import known_evaluations
from db.store import Store
from engines.locate import find_engine
from engines.uci import UciEngine
from puzzlegen.evaluator import Evaluator
from puzzlegen.rules import MiningRules
from puzzlegen.split import RawGame
from puzzlegen.unit import GameResult, mine_game


@dataclass(frozen=True)
class Assignment:
    """What a miner has to know: the engine's path, the rules, and whose games are wanted.

    Without a path the engine is Stockfish, wherever the miner's computer has it. `store` is the URL
    of the store to look up evaluations in, if any.
    """

    command: str | None
    rules: MiningRules
    player: str | None = None
    store: str | None = None


class Miner:
    """Mines one game at a time. Close it, or use it in a `with` statement."""

    def __init__(self, assignment: Assignment) -> None:
        """Start the engine and open the store. Raises `EngineError`, `StoreError`."""
        self.assignment = assignment
        self._engine = UciEngine(find_engine(assignment.command))
        try:
            self._store = Store(assignment.store) if assignment.store else None
        except StoreError:
            self._engine.close()
            raise
        self._evaluator = Evaluator(self._engine, self._known if self._store else None)

    @property
    def engine_name(self) -> str:
        """What the engine calls itself."""
        return self._engine.name

    def mine(self, raw: RawGame) -> GameResult:
        """Return what came of a game. Raises `StoreError`."""
        return mine_game(raw, self._evaluator, self.assignment.rules, self.assignment.player)

    def close(self) -> None:
        """End the engine and let go of the store."""
        self._engine.close()
        if self._store is not None:
            self._store.close()

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        assert self._store is not None
        with self._store.reading() as session:
            return known_evaluations(session, keys)

    def __enter__(self) -> Miner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
