"""A worker that finds chances. Does not depend on where it runs."""

from __future__ import annotations

from dataclasses import dataclass

from puzzlegen.chances.game_analysis import analyse_game
from puzzlegen.games.split import RawGame
from puzzlegen.mining.game_job import GameResult
from puzzlegen.mining.game_worker import GameWorker, WorkerConfig
from puzzlegen.rules import ExerciseRules


@dataclass(frozen=True)
class AnalysisConfig(WorkerConfig):
    """The configuration of a worker that analyses games, with the thresholds of exercises."""

    limits: ExerciseRules = ExerciseRules()  # noqa: RUF009 - it is frozen

    def worker(self) -> AnalysisWorker:
        """Return a worker with this configuration. Raises `EngineError`, `StoreError`."""
        return AnalysisWorker(self)


class AnalysisWorker(GameWorker):
    """Analyses one game at a time."""

    def __init__(self, config: AnalysisConfig) -> None:
        super().__init__(config)
        self._limits = config.limits

    def mine(self, raw: RawGame) -> GameResult:
        """Return the chances of a game. Raises `StoreError`."""
        return analyse_game(raw, self.searcher, self.config.rules, self._limits)
