"""The opportunities in a player's games: the tactics that there were, and whether they were found.

The opportunities of both sides are stored, each with the puzzle or exercise made from its position. A game is
analysed only once, whatever file it is in, so that the same command can resume after an interruption, and
later analyses only new games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from sqlalchemy.orm import Session

from chess_motif import arguments
from chess_motif.progress import Progress
from chess_motif.text import counted, name_key
from db.analyses import AnalysedGame, analysed_keys
from db.games import game_number
from db.sets import keep_analysis
from db.store import Store
from engines.options import EngineChoice
from motifsearch.trainer.analysis.rules import FOR_OPPORTUNITIES, ExerciseRules, OpportunityRules
from motifsearch.trainer.analysis.turns import AnalysisResult, OpportunityJob
from puzzlegen.games.archive import Archive, check_archives, open_archive
from puzzlegen.games.pgn import Skip, SkipGame, read_game, skip_notice
from puzzlegen.games.players import may_name
from puzzlegen.games.split import RawGame, split_games
from puzzlegen.mining.game import GameResult
from puzzlegen.mining.record import RunRecord, recorded_run
from puzzlegen.mining.report import Report
from puzzlegen.mining.run import MinedItem, keep_result, save_results
from puzzlegen.mining.workers import LocalPool, Pool, WorkerConfig, results_of
from puzzlegen.rules import MiningRules


@dataclass
class OpportunityReport(Report):
    """The result of looking for opportunities.

    `summary` counts the new games of the player and the puzzles; `exercises` are those of the puzzles that
    are exercises. `known_games` were analysed before. `damaged` has a message for each archive that could not
    be read. An `interrupted` run has left out some games.
    """

    known_games: int = 0
    opportunities: int = 0
    exercises: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return the report as the keys and values of its JSON object."""
        return super().as_dict() | {
            "known_games": self.known_games,
            "opportunities": self.opportunities,
            "exercises": self.exercises,
        }


def find_opportunities(
    archives: Sequence[str],
    store: Store,
    players: Sequence[str],
    engine: EngineChoice = None,
    *,
    rules: MiningRules | None = None,
    limits: ExerciseRules | None = None,
    workers: int = 1,
    limit: int | None = None,
    restart: bool = False,
    progress: Progress | None = None,
) -> OpportunityReport:
    """Find the opportunities that a player had or gave in the games of `archives`, and store them.

    `players` are full names of the player as in the games (`find_players` finds names by some words), in any
    case and any order of words. `limit` ends the run after that many of the player's games; `restart`
    analyses known games again. The other arguments are as in `puzzlegen.mine`. An archive that cannot be read
    is reported and skipped. Raises `ArchiveError` if none of the archives exists, `EngineError`,
    `HumanModelError`, `StoreError`.
    """
    arguments.not_text(archives=archives)
    arguments.at_least(1, workers=workers)
    arguments.at_least(0, limit=limit)
    check_archives(archives)
    progress = progress or Progress()
    rules, limits = rules or FOR_OPPORTUNITIES, limits or ExerciseRules()
    config = WorkerConfig(engine, OpportunityJob(rules, limits), store.address)
    with closing(LocalPool(workers, config)) as pool:
        report = OpportunityReport(pool.engine_name())
        stored_rules = asdict(rules) | {
            "exercises": asdict(limits),
            "opportunities": asdict(OpportunityRules()),
        }
        with recorded_run(store, report, stored_rules, progress) as record:
            record.summary = report.summary
            with store.reading() as session:
                known = set() if restart else analysed_keys(session)
            run = _OpportunityRun(store, record, players, known, report, progress)
            for path in archives:
                left = None if limit is None else limit - run.analysed
                if progress.stopping or left == 0:
                    break
                with report.keeping_damage(progress), open_archive(path) as archive:
                    run.analyse(archive, pool, left)
    return report


@dataclass
class _OpportunityRun:
    """A run over several archives, which has analysed `analysed` games so far, including failed games.

    `known` are the keys of the games that need not be analysed.
    """

    store: Store
    record: RunRecord
    players: Sequence[str]
    known: set[str]
    report: OpportunityReport
    progress: Progress
    analysed: int = 0

    def analyse(self, archive: Archive, pool: Pool, most: int | None) -> None:
        """Analyse the player's new games in an archive, at most `most`.

        Raises `ArchiveError` if the archive is damaged, and `EngineFailedError` if the engine keeps failing.
        """
        self.store.transact(lambda session: self.record.add_file(session, archive.name))
        games = islice(self._new_games(archive), most)
        with closing(results_of(pool, games, lambda: self.progress.stopping)) as results:
            save_results(results, lambda batch: self._save(archive, batch))
        archive.finish()
        self._show(archive)

    def _new_games(self, archive: Archive) -> Iterator[RawGame]:
        """Yield the games of the player that are not known."""
        for raw in split_games(archive.chunks()):
            if self.progress.stopping:
                return
            if not any(may_name(raw.text, player) for player in self.players):
                self.report.summary.skipped[Skip.OTHER_PLAYER.value] += 1
                continue
            try:
                game = read_game(raw)
            except SkipGame as skip:
                self._skip(archive, raw.number, raw.offset, skip.reason, skip.detail)
                continue
            if {name_key(name) for name in self.players}.isdisjoint(map(name_key, game.players)):
                self.report.summary.skipped[Skip.OTHER_PLAYER.value] += 1
            elif game.key in self.known:
                self.report.known_games += 1
            else:
                self.known.add(game.key)
                yield raw

    def _save(self, archive: Archive, batch: Sequence[MinedItem]) -> None:
        """Store the results of games in one transaction; skipped games are only counted."""
        results = [result for _, result in batch if isinstance(result, GameResult)]

        def keep(session: Session) -> list[int]:
            return [_keep(session, result, self.record.number) for result in results]

        for result, stored in zip(results, self.store.transact(keep), strict=True):
            self.analysed += 1
            if result.skipped is not None:
                self._skip(archive, result.number, result.offset, result.skipped, result.detail)
            elif isinstance(result, AnalysisResult):
                self.report.summary.add_game(result, stored, archive.name)
                self.report.opportunities += len(result.opportunities)
                self.report.exercises += sum(bool(puzzle.accepted) for puzzle in result.puzzles)
        self.record.hold()
        archive.finish_text(result.end)
        self._show(archive)

    def _skip(self, archive: Archive, number: int, offset: int, reason: Skip, detail: str) -> None:
        self.report.summary.skipped[reason.value] += 1
        self.progress.notice(skip_notice(archive.name, number, offset, reason, detail))

    def _show(self, archive: Archive) -> None:
        games, opportunities = self.report.summary.games, self.report.opportunities
        detail = f"{counted(games, 'game')}, {counted(opportunities, 'opportunity')}"
        self.progress.update(archive.name, archive.finished(), archive.size, "B", detail)


def _keep(session: Session, result: GameResult, run_number: int) -> int:
    """Store the results of a game with the number of the run; return how many puzzles were new."""
    stored = keep_result(session, result, run_number)
    if isinstance(result, AnalysisResult) and result.game is not None:
        number = game_number(session, result.game)
        analysed = AnalysedGame(
            game_number=number, run_number=run_number, searches=result.searches, nodes=result.nodes
        )
        keep_analysis(session, analysed, result.opportunities)
    return stored
