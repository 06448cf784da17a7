"""Finding the chances of a player's games, and storing them with their puzzles and exercises.

Each game is stored in one transaction. A game that was analysed is not analysed again, whatever file it is
in, so that the same command resumes after an interruption, and later analyses the new games only.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import chess

from chess_motif.errors import ArchiveError, EngineFailedError
from chess_motif.progress import Progress
from chess_motif.text import counted
from db.evaluations import keep_evaluations
from db.games import game_number
from db.store import Store
from db.training.chances import analysed_keys, keep_analysis
from db.training.models import AnalysedGame
from engines.human.model import load_human_model
from puzzlegen.candidates.prefilter import may_name
from puzzlegen.chances.game_analysis import GameAnalysis
from puzzlegen.chances.worker import AnalysisConfig
from puzzlegen.difficulty.rating_model import RatingModel, load_rating_model
from puzzlegen.games.archive import Archive, open_archive
from puzzlegen.games.pgn import Skip, SkipGame, read_game, skip_notice
from puzzlegen.games.split import RawGame, split_games
from puzzlegen.mining.archive_run import FAILURES_IN_A_ROW
from puzzlegen.mining.game_job import GameResult
from puzzlegen.mining.local_pool import LocalPool
from puzzlegen.mining.pool import Pool
from puzzlegen.mining.storing import store_puzzles, stored_run
from puzzlegen.mining.summary import Summary
from puzzlegen.rules import ExerciseRules, MiningRules, Pattern


@dataclass
class ChancesReport:
    """The result of a run: its counts, and messages for archives that could not be read to their end.

    `summary` counts the games of the player that were new; `known` ones were analysed before. `chances` and
    `puzzles` count what was found, `exercises` those of the puzzles that are exercises.
    """

    engine: str
    summary: Summary = field(default_factory=Summary)
    known: int = 0
    chances: int = 0
    exercises: int = 0
    damaged: list[str] = field(default_factory=list)
    interrupted: bool = False
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the report as the keys and values of its JSON object."""
        return self.summary.as_dict() | {
            "known_games": self.known,
            "chances": self.chances,
            "exercises": self.exercises,
            "damaged": self.damaged,
            "interrupted": self.interrupted,
            "seconds": round(self.seconds, 1),
            "engine": self.engine,
        }


def find_chances(
    archives: Sequence[str],
    store: Store,
    players: Sequence[str],
    engine_path: str | None = None,
    *,
    rules: MiningRules | None = None,
    limits: ExerciseRules | None = None,
    workers: int = 1,
    limit: int | None = None,
    restart: bool = False,
    memory: Path | None = None,
    progress: Progress | None = None,
) -> ChancesReport:
    """Find the chances that a player had or gave in the games of `archives` (paths, or `-`), and store them.

    The player goes by any of the names `players` (words of a name, any case). `limit` ends the run after
    that many of the player's games; `restart` analyses known games again. The other arguments are as in
    `puzzlegen.mine`. An archive that cannot be read is reported, and the next one is read. Raises
    `EngineError`, `HumanModelError`, `StoreError`.
    """
    progress = progress or Progress()
    started = time.monotonic()
    rules, limits = rules or MiningRules(pattern=Pattern.BLUNDER), limits or ExerciseRules()
    config = AnalysisConfig(engine_path, rules, None, store.address, memory, limits)
    with LocalPool(workers, config) as pool:
        report = ChancesReport(pool.engine_name())
        stored_rules = rules.as_dict() | {"exercises": limits.as_dict()}
        with stored_run(store, report.engine, stored_rules) as number:
            chances_run = _Run(store, number, players, report, progress, limit, restart=restart)
            for path in archives:
                if progress.stopping or chances_run.left == 0:
                    break
                try:
                    with open_archive(path) as archive:
                        chances_run.analyse(archive, pool)
                except ArchiveError as error:
                    report.damaged.append(str(error))
                    progress.notice(str(error))
    report.interrupted = progress.stopping
    report.seconds = time.monotonic() - started
    return report


class _Run:
    """A run over several archives. `left` is how many games it may still analyse, None: any number."""

    def __init__(
        self,
        store: Store,
        number: int,
        players: Sequence[str],
        report: ChancesReport,
        progress: Progress,
        limit: int | None,
        *,
        restart: bool,
    ) -> None:
        self.left = limit
        self._store = store
        self._number = number
        self._players = players
        self._report = report
        self._progress = progress
        self._rating_model: RatingModel = load_rating_model(load_human_model())
        self._failures = 0
        with store.reading() as session:
            self._known = set() if restart else analysed_keys(session)

    def analyse(self, archive: Archive, pool: Pool) -> None:
        """Analyse the player's games of an archive.

        Raises `ArchiveError` where it is damaged, and `EngineFailedError` if the engine keeps failing.
        """
        games = islice(self._new_games(archive), self.left)
        with closing(pool.results(games, lambda: self._progress.stopping)) as results:
            for _, result in results:
                assert isinstance(result, GameResult)
                self._save(archive, result)
        archive.finish()
        self._show(archive)

    def _new_games(self, archive: Archive) -> Iterator[RawGame]:
        """Yield the games of the player that are not known."""
        for raw in split_games(archive.chunks()):
            if not any(may_name(raw.text, player) for player in self._players):
                self._report.summary.skipped[Skip.OTHER_PLAYER.value] += 1
                continue
            try:
                game = read_game(raw)
            except SkipGame as skip:
                self._skip(archive, raw.number, raw.offset, skip.reason, skip.detail)
                continue
            if not any(game.is_played_by(name, side) for name in self._players for side in chess.COLORS):
                self._report.summary.skipped[Skip.OTHER_PLAYER.value] += 1
            elif game.key in self._known:
                self._report.known += 1
            else:
                self._known.add(game.key)
                yield raw

    def _save(self, archive: Archive, result: GameResult) -> None:
        """Store the result of a game in one transaction."""
        if self.left is not None:
            self.left -= 1
        if not isinstance(result, GameAnalysis) or result.game is None:
            assert result.skipped is not None
            self._failures += 1
            self._skip(archive, result.number, result.offset, result.skipped, result.detail)
            if self._failures == FAILURES_IN_A_ROW:
                raise EngineFailedError(f"{result.detail}; {FAILURES_IN_A_ROW} games in a row, giving up")
            return
        self._failures = 0
        with self._store.session() as session:
            number = game_number(session, result.game)
            stored = store_puzzles(session, result.puzzles, number, self._number, self._rating_model)
            analysed = AnalysedGame(
                game_number=number, run_number=self._number, searches=result.searches, nodes=result.nodes
            )
            keep_analysis(session, analysed, result.chances)
            keep_evaluations(session, result.evaluations)
        self._report.summary.add_game(result, stored, archive.name)
        self._report.chances += len(result.chances)
        self._report.exercises += sum(bool(puzzle.accepted) for puzzle in result.puzzles)
        archive.finish_text(result.end)
        self._show(archive)

    def _skip(self, archive: Archive, number: int, offset: int, reason: Skip, detail: str) -> None:
        self._report.summary.skipped[reason.value] += 1
        self._progress.notice(skip_notice(archive.name, number, offset, reason, detail))

    def _show(self, archive: Archive) -> None:
        report = self._report
        numbers = {"game": report.summary.games, "chance": report.chances}
        detail = ", ".join(counted(number, noun) for noun, number in numbers.items())
        self._progress.update(archive.name, archive.finished(), archive.size, "B", detail)
