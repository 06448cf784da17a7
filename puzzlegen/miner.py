"""One miner: an engine of its own and what it is to do with games. The same wherever it runs."""

from __future__ import annotations

from dataclasses import dataclass

from engines.uci import UciEngine
from puzzlegen.rules import MiningRules
from puzzlegen.split import RawGame
from puzzlegen.unit import GameResult, mine_game


@dataclass(frozen=True)
class Assignment:
    """What a miner has to know: the engine's path, the rules, and whose games are wanted."""

    command: str
    rules: MiningRules
    player: str | None = None


class Miner:
    """Mines one game at a time. Close it, or use it in a `with` statement."""

    def __init__(self, assignment: Assignment) -> None:
        """Start the engine. Raises `EngineError`."""
        self.assignment = assignment
        self.engine = UciEngine(assignment.command)

    def mine(self, raw: RawGame) -> GameResult:
        """Return what came of a game."""
        return mine_game(raw, self.engine, self.assignment.rules, self.assignment.player)

    def close(self) -> None:
        """End the engine."""
        self.engine.close()

    def __enter__(self) -> Miner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
