"""Mining runs: from archives of games to verified puzzles in the store.

An archive is read from its checkpoint on, its games are mined by a pool of workers, and their results are
stored in one transaction with the checkpoint. However a run ends, the same command resumes it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from sqlalchemy.orm import Session

from chess_motif import arguments
from chess_motif.cluster import Cluster
from chess_motif.errors import EngineFailedError
from chess_motif.logs import log_event
from chess_motif.parallel import read_ahead
from chess_motif.progress import Progress
from chess_motif.text import counted
from db.evaluations import keep_evaluations
from db.games import game_number
from db.packed.file import PackedFile
from db.puzzles import add_puzzles
from db.store import Store
from engines.options import EngineChoice
from puzzlegen.candidates import Settings, SkippedSpan, prefilter
from puzzlegen.games.archive import Archive, ArchiveWalk, check_archives, open_archive
from puzzlegen.games.pgn import Skip, skip_notice
from puzzlegen.games.split import TAIL, RawGame
from puzzlegen.mining.game import GameResult, PuzzleJob
from puzzlegen.mining.record import RunRecord, recorded_run
from puzzlegen.mining.report import MiningReport, MiningSummary
from puzzlegen.mining.workers import LocalPool, Pool, WorkerConfig, results_of
from puzzlegen.rules import MiningRules

# Seconds between transactions while games need no search. A game that was searched is stored at once.
SAVE_EVERY = 1.0

# If the engine fails on this many games in a row, the engine is broken and not the games.
FAILURES_IN_A_ROW = 5

# A game, or a span of games that need no worker, with its result.
MinedItem = tuple[RawGame | SkippedSpan, GameResult | SkippedSpan]


def mine(
    archives: Sequence[str],
    store: Store,
    engine: EngineChoice = None,
    *,
    rules: MiningRules | None = None,
    workers: int = 1,
    cluster: str | None = None,
    player: str | None = None,
    evaluated_only: bool = False,
    limit: int | None = None,
    restart: bool = False,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> MiningReport:
    """Mine `archives` (paths, or `-` for standard input) and store the puzzles.

    `engine` is a path, a command name or an `EngineSetup` (default: Stockfish, wherever it is installed). The
    games are mined by `workers` processes on this computer, or by the workers of the Dask scheduler at the
    address `cluster`; `engine` and `cache` are then paths on the workers. `limit` ends the run after that
    many games, counted from the beginning of the first archive, including games of earlier runs; `restart`
    ignores the checkpoints of earlier runs. `player` (words of a name, any case) restricts the run to puzzles
    that this player could have solved, `evaluated_only` to games with `[%eval]` comments. A position is not
    searched if the packed file `cache` has a verdict by this engine with at least as many nodes.

    An archive that cannot be read, has no games, or is being mined by another process is reported, and the
    next archive is mined. Raises `ArchiveError` if no archive exists, `EngineError`, `InputError` for options
    that the engine does not take, `ClusterError`, `HumanModelError`, `StoreError`.
    """
    arguments.not_text(archives=archives)
    arguments.at_least(1, workers=workers)
    arguments.at_least(0, limit=limit)
    check_archives(archives)
    progress = progress or Progress()
    rules = rules or MiningRules()
    config = WorkerConfig(engine, PuzzleJob(rules, player), store.address, cache)
    if cache is not None and cluster is None:
        with PackedFile(cache) as file:
            for damage in file.damage():
                progress.notice(damage)
    with closing(game_pool(config, workers, cluster, progress)) as pool:
        settings = Settings(pool.engine_name(), rules, player, evaluated_only)
        report = MiningReport(settings.engine, rules=rules)
        with recorded_run(store, report, asdict(rules), progress) as record:
            for path in archives:
                remaining = None if limit is None else limit - report.summary.games
                if progress.stopping or (remaining is not None and remaining <= 0):
                    break
                with report.keeping_damage(progress), open_archive(path) as archive:
                    archive_run = _ArchiveRun(archive, store, record, settings, progress, remaining)
                    try:
                        archive_run.mine(pool, restart=restart)
                    finally:
                        report.summary.add(archive_run.summary)
    return report


def game_pool(config: WorkerConfig, workers: int, cluster: str | None, progress: Progress) -> Pool:
    """Return a pool of `workers` processes, or of the workers of the Dask scheduler at `cluster`.

    `progress` gets a notice when the cluster has no workers. Raises `ClusterError`.
    """
    if cluster is None:
        return LocalPool(workers, config)
    connected = Cluster(cluster, progress)
    # Imported only here: Dask is large and optional.
    from puzzlegen.mining.dask import DaskPool

    # Other computers may not be able to reach the store.
    return DaskPool(connected, replace(config, store=None))


@dataclass
class _ArchiveRun:
    """One archive to be mined in a run, up to its game number `limit`.

    `summary` counts the games of this archive, including those of earlier runs.
    """

    archive: Archive
    store: Store
    record: RunRecord
    settings: Settings
    progress: Progress
    limit: int | None
    summary: MiningSummary = field(default_factory=MiningSummary)

    def mine(self, pool: Pool, *, restart: bool) -> None:
        """Mine the archive from its checkpoint or, with `restart`, its start.

        Raises `ArchiveError` if the archive cannot be read further or has no games, and `EngineError` if the
        engine keeps failing; all results before that are stored.
        """
        walk = ArchiveWalk(
            self.archive,
            self.store,
            self.settings.fingerprint(),
            self.progress,
            restart=restart,
            run_number=self.record.number,
        )
        self.store.transact(lambda session: self.record.add_file(session, self.archive.name))
        log_event("archive began", run=self.record.number, file=self.archive.name, offset=walk.offset)
        self.summary = MiningSummary.from_dict(walk.summary)
        if self.summary.games:
            self.progress.notice(f"{self.archive.name}: {self.summary.games} games were mined before")
        if walk.text is not None:
            remaining = None if self.limit is None else max(0, self.limit - walk.games)
            with closing(self._text(walk.text)) as text:
                games = prefilter(text, self.settings, walk.offset, walk.games, remaining)
                with closing(results_of(pool, games, lambda: self.progress.stopping)) as results:
                    save_results(results, lambda batch: self._save(walk, batch))
            if self.progress.stopping or (self.limit is not None and self.summary.games >= self.limit):
                return
            walk.finish()
            log_event("archive ended", run=self.record.number, file=self.archive.name)
            self._show(finished=True)
        walk.check_games(self.summary.games - self.summary.skipped[Skip.NOT_A_GAME])

    def _text(self, text: Iterator[bytes]) -> Generator[bytes]:
        # Reading ahead from a pipe could block the thread forever.
        yield from read_ahead(text) if self.archive.is_file else text

    def _save(self, walk: ArchiveWalk, batch: Sequence[MinedItem]) -> None:
        """Store these results, with the checkpoint after them, in one transaction."""
        results = [result for _, result in batch]
        end, games = results[-1].end, results[-1].number
        walk.advance(b"".join(item.tail for item, _ in batch[-TAIL:]))

        def keep(session: Session) -> tuple[MiningSummary, MiningSummary]:
            summary, own = deepcopy(self.summary), deepcopy(self.record.summary)
            for result in results:
                if isinstance(result, SkippedSpan):
                    for counts in (summary, own):
                        counts.add_span(result)
                else:
                    stored = keep_result(session, result, self.record.number)
                    for counts in (summary, own):
                        counts.add_game(result, stored, self.archive.name)
            walk.save(session, end, games, summary.as_dict())
            self.record.save(session, own)
            return summary, own

        self.summary, self.record.summary = self.store.transact(keep)
        self.record.hold()
        self.record.show()
        for result in results:
            if isinstance(result, GameResult) and result.skipped not in (None, Skip.OTHER_PLAYER):
                notice = skip_notice(
                    self.archive.name, result.number, result.offset, result.skipped, result.detail
                )
                self.progress.notice(notice)
        self.archive.finish_text(end)
        self._show()

    def _show(self, *, finished: bool = False) -> None:
        counts = self.summary
        numbers = {"game": counts.games, "candidate": counts.candidates, "puzzle": counts.puzzles}
        detail = ", ".join(counted(number, noun) for noun, number in numbers.items())
        if self.limit is None:
            done, total = self.archive.finished(), self.archive.size
            self.progress.update(self.archive.name, done, total, "B", detail)
        else:
            # There may be fewer games than the limit.
            total = counts.games if finished else self.limit
            self.progress.update(self.archive.name, counts.games, total, "game", detail)


def save_results(results: Iterable[MinedItem], save: Callable[[Sequence[MinedItem]], None]) -> None:
    """Call `save` with the results of games, in order and in batches, even if `results` raises an error.

    A game on which the engine failed is saved only after the engine has worked on a later game. Raises
    `EngineFailedError`, without saving these games, if the engine fails on `FAILURES_IN_A_ROW` games.
    """
    batch: list[MinedItem] = []
    # The places in the batch of the games on which the engine has failed.
    failures: list[int] = []
    saved = time.monotonic()
    try:
        for item, result in results:
            batch.append((item, result))
            searched = isinstance(result, GameResult) and result.searches > 0
            if isinstance(result, GameResult) and result.skipped in (Skip.ENGINE, Skip.WORKER):
                failures.append(len(batch) - 1)
                if len(failures) == FAILURES_IN_A_ROW:
                    del batch[failures[0] :]
                    raise EngineFailedError(f"{result.detail}; {FAILURES_IN_A_ROW} games in a row, giving up")
            elif searched:
                failures.clear()
            if not failures and (searched or time.monotonic() - saved >= SAVE_EVERY):
                save(batch)
                batch, saved = [], time.monotonic()
    finally:
        if batch:
            save(batch)


def keep_result(session: Session, result: GameResult, run_number: int) -> int:
    """Store the result of a game for the mining run `run_number`; return how many puzzles were new."""
    stored = 0
    if result.game is not None:
        number = game_number(session, result.game)
        for puzzle in result.puzzles:
            puzzle.game_number, puzzle.run_number = number, run_number
        stored = add_puzzles(session, result.puzzles)
    keep_evaluations(session, result.evaluations)
    return stored
