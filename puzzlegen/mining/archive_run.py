"""Mining one archive from its checkpoint on, and storing the results."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field

from sqlalchemy.orm import Session

from chess_motif.errors import EngineFailedError
from chess_motif.parallel import read_ahead
from chess_motif.progress import Progress
from chess_motif.text import counted
from db.evaluations import keep_evaluations
from db.games import game_number
from db.store import Store
from puzzlegen.candidates.prefilter import SkippedSpan, prefilter
from puzzlegen.difficulty.rating_model import RatingModel
from puzzlegen.games.archive import Archive
from puzzlegen.games.pgn import Skip, skip_notice
from puzzlegen.games.split import TAIL, RawGame
from puzzlegen.games.walk import ArchiveWalk
from puzzlegen.mining.game_job import GameResult
from puzzlegen.mining.pool import Pool
from puzzlegen.mining.storing import store_puzzles
from puzzlegen.mining.summary import Summary
from puzzlegen.settings import Settings

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
        self.summary = Summary()
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
        self.summary = Summary.from_dict(walk.summary)
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
