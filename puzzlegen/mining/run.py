"""Mining one archive from its checkpoint on, and storing the results.

Storing mining runs, and the puzzles of a game.

Mining runs: from archives of games to verified puzzles in the store.

However a run ends, the same command resumes it: results are stored in one transaction with the checkpoint of
their archive.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from chess_motif.errors import ArchiveError, ClusterError, EngineFailedError
from chess_motif.parallel import read_ahead
from chess_motif.progress import Progress
from chess_motif.text import counted
from db.evaluations import keep_evaluations
from db.games import game_number
from db.models import MiningRun, Puzzle, utc_now
from db.packed.file import PackedFile
from db.puzzles import add_puzzles
from db.store import Store
from engines.human.model import load_human_model
from puzzlegen.candidates import SkippedSpan, prefilter
from puzzlegen.difficulty.rating import Problem, RatingModel, load_rating_model
from puzzlegen.games.archive import Archive, ArchiveWalk, open_archive
from puzzlegen.games.pgn import Skip, skip_notice
from puzzlegen.games.split import TAIL, RawGame
from puzzlegen.mining.game import GameResult
from puzzlegen.mining.local import LocalPool
from puzzlegen.mining.summary import MiningSummary
from puzzlegen.mining.worker import Pool, WorkerConfig
from puzzlegen.rules import MiningRules
from puzzlegen.settings import Settings


@contextmanager
def stored_run(store: Store, engine: str, rules: dict[str, Any]) -> Iterator[int]:
    """Store a mining run, and yield its number. It is finished when the block ends without an error."""
    with store.session() as session:
        run = MiningRun(engine=engine, rules=rules)
        session.add(run)
    yield run.number
    with store.session() as session:
        session.execute(update(MiningRun).where(MiningRun.number == run.number).values(finished=utc_now()))


def store_puzzles(
    session: Session, puzzles: Sequence[Puzzle], game: int, run: int, model: RatingModel
) -> int:
    """Store the puzzles of the game and the run with these numbers; return how many were new.

    Their difficulty is estimated by `model`.
    """
    estimates = model.estimate([Problem.of(puzzle) for puzzle in puzzles])
    for puzzle, estimate in zip(puzzles, estimates, strict=True):
        puzzle.difficulty, puzzle.difficulty_margin, puzzle.first_move_chance = estimate
        puzzle.game_number, puzzle.run_number = game, run
    return add_puzzles(session, puzzles)


# Seconds between transactions while games need no search. A game that was searched is stored at once.
SAVE_EVERY = 1.0

# If the engine fails on this many games in a row, the engine is to blame and not the games.
FAILURES_IN_A_ROW = 5


@dataclass
class _Unsaved:
    """Results that are not stored yet, in order, and the last bytes of the text of each.

    `failures` has the indices of the games that the engine has failed on since it last worked. They are
    stored only once it has worked again.
    """

    results: list[GameResult | SkippedSpan] = field(default_factory=list)
    tails: list[bytes] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)

    def add(self, item: RawGame | SkippedSpan, result: GameResult | SkippedSpan) -> None:
        """Add a result. Raises `EngineFailedError` after `FAILURES_IN_A_ROW` failures of the engine."""
        if isinstance(result, GameResult):
            if result.skipped in (Skip.ENGINE, Skip.WORKER):
                self.failures.append(len(self.results))
                if len(self.failures) == FAILURES_IN_A_ROW:
                    del self.results[self.failures[0] :], self.tails[self.failures[0] :]
                    raise EngineFailedError(f"{result.detail}; {FAILURES_IN_A_ROW} games in a row, giving up")
            elif result.searches:
                self.failures.clear()
        self.results.append(result)
        self.tails.append(item.tail)


class ArchiveRun:
    """One archive to be mined in a run, up to its game number `limit`.

    `summary` counts its games, those of earlier runs included.
    """

    def __init__(
        self,
        archive: Archive,
        store: Store,
        run_number: int,
        settings: Settings,
        progress: Progress,
        rating_model: RatingModel,
        limit: int | None = None,
    ) -> None:
        self.archive = archive
        self._limit = limit
        self.summary = MiningSummary()
        self._store = store
        self._run_number = run_number
        self._settings = settings
        self._progress = progress
        self._rating_model = rating_model

    def mine(self, pool: Pool, *, restart: bool = False) -> None:
        """Mine the archive from its checkpoint or, with `restart`, its start.

        Raises `ArchiveError` if the archive cannot be read further or holds no game, `EngineError` if the
        engine keeps failing; everything before that is stored.
        """
        walk = ArchiveWalk(
            self.archive, self._store, self._settings.fingerprint(), self._progress, restart=restart
        )
        self.summary = MiningSummary.from_dict(walk.summary)
        if self.summary.games:
            self._progress.notice(f"{self.archive.name}: {self.summary.games} games were mined before")
        if walk.text is not None and not self._mine(walk, walk.text, pool):
            return
        walk.check_games(self.summary.games - self.summary.skipped[Skip.NOT_A_GAME])

    def _mine(self, walk: ArchiveWalk, rest: Iterator[bytes], pool: Pool) -> bool:
        """Mine the rest of the archive; return whether the end was reached."""
        remaining = None if self._limit is None else max(0, self._limit - walk.games)
        with closing(self._text(rest)) as text:
            games = prefilter(text, self._settings, walk.offset, walk.games, remaining)
            with closing(pool.results(games, lambda: self._progress.stopping)) as results:
                self._store_results(walk, results)
        if self._progress.stopping or (self._limit is not None and self.summary.games >= self._limit):
            return False
        walk.finish()
        self._report(finished=True)
        return True

    def _text(self, text: Iterator[bytes]) -> Generator[bytes]:
        # Reading from a pipe could block the thread forever.
        yield from read_ahead(text) if self.archive.is_file else text

    def _store_results(
        self,
        walk: ArchiveWalk,
        results: Iterable[tuple[RawGame | SkippedSpan, GameResult | SkippedSpan]],
    ) -> None:
        unsaved, saved = _Unsaved(), time.monotonic()
        try:
            for item, result in results:
                unsaved.add(item, result)
                searched = isinstance(result, GameResult) and result.searches > 0
                if not unsaved.failures and (searched or time.monotonic() - saved >= SAVE_EVERY):
                    self._save(walk, unsaved)
                    unsaved, saved = _Unsaved(), time.monotonic()
        finally:
            self._save(walk, unsaved)

    def _save(self, walk: ArchiveWalk, unsaved: _Unsaved) -> None:
        """Store these results, with the checkpoint after them, in one transaction."""
        results = unsaved.results
        if not results:
            return
        with self._store.session() as session:
            for result in results:
                if isinstance(result, SkippedSpan):
                    self.summary.add_span(result)
                else:
                    self.summary.add_game(result, self._store_puzzles(session, result), self.archive.name)
                    keep_evaluations(session, result.evaluations)
            end, games = results[-1].end, results[-1].number
            walk.save(session, end, games, b"".join(unsaved.tails[-TAIL:]), self.summary.as_dict())
        for result in results:
            if isinstance(result, GameResult) and result.skipped not in (None, Skip.OTHER_PLAYER):
                notice = skip_notice(
                    self.archive.name, result.number, result.offset, result.skipped, result.detail
                )
                self._progress.notice(notice)
        self.archive.finish_text(end)
        self._report()

    def _store_puzzles(self, session: Session, result: GameResult) -> int:
        if result.game is None:
            return 0
        game = game_number(session, result.game)
        return store_puzzles(session, result.puzzles, game, self._run_number, self._rating_model)

    def _report(self, *, finished: bool = False) -> None:
        counts = self.summary
        numbers = {"game": counts.games, "candidate": counts.candidates, "puzzle": counts.puzzles}
        detail = ", ".join(counted(number, noun) for noun, number in numbers.items())
        if self._limit is None:
            done, total = self.archive.finished(), self.archive.size
            self._progress.update(self.archive.name, done, total, "B", detail)
        else:
            # There may be fewer games than the limit.
            total = counts.games if finished else self._limit
            self._progress.update(self.archive.name, counts.games, total, "game", detail)


@dataclass
class MiningReport:
    """The result of a run: its counts over all archives, and messages for those that could not be read."""

    engine: str
    rules: MiningRules
    summary: MiningSummary = field(default_factory=MiningSummary)
    damaged: list[str] = field(default_factory=list)
    interrupted: bool = False
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the report as the keys and values of its JSON object."""
        return self.summary.as_dict() | {
            "damaged": self.damaged,
            "interrupted": self.interrupted,
            "seconds": round(self.seconds, 1),
            "engine": self.engine,
            "rules": self.rules.as_dict(),
        }


def mine(
    archives: Sequence[str],
    store: Store,
    engine_path: str | None = None,
    *,
    rules: MiningRules | None = None,
    workers: int = 1,
    cluster: str | None = None,
    player: str | None = None,
    evaluated_only: bool = False,
    limit: int | None = None,
    restart: bool = False,
    memory: Path | None = None,
    progress: Progress | None = None,
) -> MiningReport:
    """Mine `archives` (paths, or `-` for standard input) and store the puzzles.

    `engine_path` is a path or a command name (default: Stockfish, wherever it is installed). The games are
    mined by `workers` processes on this computer, or by the workers of the Dask scheduler at the address
    `cluster`, where `engine_path` and `memory` are then paths. `limit` ends the run after that many games,
    counted from the beginning of the first archive, games of earlier runs included; `restart` ignores the
    checkpoints of earlier runs. `player` (words of a name, any case) restricts the run to puzzles that this
    player could have solved, `evaluated_only` to games with `[%eval]` comments. A position is not searched if
    the packed file `memory` has a verdict on it by this engine, with as many nodes or more. An archive that
    cannot be read or holds no game is reported, and the next one is mined. Raises `EngineError`,
    `ClusterError`, `HumanModelError`, `StoreError`.
    """
    progress = progress or Progress()
    started = time.monotonic()
    rules = rules or MiningRules()
    rating_model = load_rating_model(load_human_model())
    config = WorkerConfig(engine_path, rules, player, store.address, memory)
    if memory is not None and cluster is None:
        with PackedFile(memory) as file:
            for damage in file.damage():
                progress.notice(damage)
    with _pool(config, workers, cluster, progress) as pool:
        settings = Settings(pool.engine_name(), rules, player, evaluated_only)
        report = MiningReport(settings.engine, rules)
        with stored_run(store, settings.engine, rules.as_dict()) as number:
            for path in archives:
                remaining = None if limit is None else limit - report.summary.games
                if progress.stopping or (remaining is not None and remaining <= 0):
                    break
                try:
                    with open_archive(path) as archive:
                        archive_run = ArchiveRun(
                            archive, store, number, settings, progress, rating_model, remaining
                        )
                        try:
                            archive_run.mine(pool, restart=restart)
                        finally:
                            report.summary.add(archive_run.summary)
                except ArchiveError as error:
                    report.damaged.append(str(error))
                    progress.notice(str(error))
    report.interrupted = progress.stopping
    report.seconds = time.monotonic() - started
    return report


def _pool(config: WorkerConfig, workers: int, cluster: str | None, progress: Progress) -> Pool:
    if cluster is None:
        return LocalPool(workers, config)
    # Imported when needed: Dask is large and optional.
    try:
        from puzzlegen.mining.dask import DaskPool
    except ImportError as error:
        raise ClusterError("a cluster needs Dask; pip install 'chess-motif[cluster]'") from error
    # Other computers may not be able to reach the store.
    return DaskPool(cluster, replace(config, store=None), progress)
