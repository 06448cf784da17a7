"""Mining one archive from where it was left, game by game into the store."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field

from sqlalchemy.orm import Session

from chess_motif.errors import EngineFailedError
from db.evaluations import keep_evaluations
from db.games import game_number
from db.models import Checkpoint
from db.puzzles import add_puzzles
from db.store import Store
from puzzlegen.candidates.sift import SIDE_BY_SIDE, SkippedSpan, sift
from puzzlegen.games.ahead import read_ahead
from puzzlegen.games.archive import Archive
from puzzlegen.games.checkpoint import TAIL, fingerprint
from puzzlegen.games.pgn import Skip
from puzzlegen.games.resume import resume
from puzzlegen.games.split import RawGame
from puzzlegen.mining.game_job import GameResult
from puzzlegen.mining.pool import Pool
from puzzlegen.mining.settings import Settings
from puzzlegen.mining.summary import Summary

# Seconds that what needed no search waits for the next transaction.
SAVE_EVERY = 1.0

# So many games in a row that the engine fails on mean that the engine is broken, not the games.
FAILURES_IN_A_ROW = 5


def _nothing(*_: object) -> None:
    return None


@dataclass
class Watcher:
    """What a caller may want to see and say while a run goes on; by default nothing.

    `progressed` gets the archive and its counts after each transaction, `noticed` one line about
    something that was passed over; `stopped` says when to finish the games at hand and stop.
    """

    progressed: Callable[[Archive, Summary], None] = _nothing
    noticed: Callable[[str], None] = _nothing
    stopped: Callable[[], bool] = lambda: False


@dataclass
class ArchiveJob:
    """One archive to be mined in a run. `summary` counts its games, those of earlier runs included."""

    archive: Archive
    store: Store
    run_number: int
    settings: Settings
    watcher: Watcher
    summary: Summary = field(default_factory=Summary)
    _place: int = 0
    _tails: deque[bytes] = field(default_factory=deque)

    def mine(self, pool: Pool, limit: int | None = None, *, restart: bool = False) -> None:
        """Mine the archive up to its game number `limit`, on from the last checkpoint or afresh.

        Raises `ArchiveError` where the archive cannot be read on, with everything before it stored;
        `EngineError` when the engine fails again and again.
        """
        resumed = resume(
            self.store, self.archive, self.settings.fingerprint(), self.watcher.noticed, restart=restart
        )
        checkpoint = resumed.checkpoint
        self._place = checkpoint.number
        self.summary = Summary.from_dict(checkpoint.summary)
        if self.summary.games:
            self.watcher.noticed(f"{self.archive.name}: {self.summary.games} games were mined before")
        if resumed.text is None:
            return
        wanted = None if limit is None else max(0, limit - checkpoint.games)
        with closing(self._ahead(resumed.text)) as text:
            # What comes through a pipe should not wait for more.
            threads = SIDE_BY_SIDE if self.archive.is_file else 1
            games = sift(text, self.settings, checkpoint.offset, checkpoint.games, wanted, threads)
            self._store_results(pool.results(self._with_tails(games), self.watcher.stopped))
        if not self.watcher.stopped() and (limit is None or self.summary.games < limit):
            self._finish()

    def _ahead(self, text: Iterator[bytes]) -> Generator[bytes]:
        # A pipe may keep a thread waiting for ever.
        yield from read_ahead(text) if self.archive.is_file else text

    def _with_tails(self, games: Iterator[RawGame | SkippedSpan]) -> Iterator[RawGame | SkippedSpan]:
        """Yield `games`, and keep for each the text just before its end."""
        tail = b""
        for game in games:
            last = game.tail if isinstance(game, SkippedSpan) else game.text[-TAIL:]
            tail = (tail + last)[-TAIL:]
            self._tails.append(tail)
            yield game

    def _store_results(self, results: Iterator[GameResult | SkippedSpan]) -> None:
        unsaved: list[GameResult | SkippedSpan] = []
        saved = time.monotonic()
        # Where in `unsaved` the engine has failed since it last worked.
        failures: list[int] = []
        try:
            for result in results:
                searched = isinstance(result, GameResult) and result.searches > 0
                if isinstance(result, GameResult) and result.skipped in (Skip.ENGINE, Skip.WORKER):
                    failures.append(len(unsaved))
                elif searched:
                    failures.clear()
                unsaved.append(result)
                if len(failures) == FAILURES_IN_A_ROW and isinstance(result, GameResult):
                    del unsaved[failures[0] :]
                    raise EngineFailedError(f"{result.detail}; {len(failures)} games in a row, giving up")
                # What failed is saved only when the engine has worked again.
                if not failures and (searched or time.monotonic() - saved >= SAVE_EVERY):
                    self._save(unsaved)
                    unsaved, saved = [], time.monotonic()
        finally:
            self._save(unsaved)

    def _save(self, results: list[GameResult | SkippedSpan]) -> None:
        """Store what came of these games and the place after them, all or nothing."""
        if not results:
            return
        with self.store.session() as session:
            for result in results:
                if isinstance(result, SkippedSpan):
                    self.summary.add_stretch(result)
                else:
                    self.summary.add_game(result, self._store_puzzles(session, result), self.archive.name)
                    keep_evaluations(session, result.evaluations)
                tail = self._tails.popleft()
            checkpoint = session.get_one(Checkpoint, self._place)
            checkpoint.offset, checkpoint.before = results[-1].end, fingerprint(tail)
            checkpoint.games, checkpoint.summary = results[-1].number, self.summary.as_dict()
        for result in results:
            if isinstance(result, GameResult) and result.skipped not in (None, Skip.OTHER_PLAYER):
                self.watcher.noticed(self._complaint(result))
        self.archive.finish_text(results[-1].end)
        self.watcher.progressed(self.archive, self.summary)

    def _store_puzzles(self, session: Session, result: GameResult) -> int:
        if result.game is None:
            return 0
        game = game_number(session, result.game)
        origin = {"game_number": game, "run_number": self.run_number}
        return add_puzzles(session, [row | origin for row in result.puzzles])

    def _complaint(self, result: GameResult) -> str:
        place = f"{self.archive.name}: game {result.number} (byte {result.offset})"
        return f"{place}: {result.skipped}" + (f": {result.detail}" if result.detail else "")

    def _finish(self) -> None:
        with self.store.session() as session:
            session.get_one(Checkpoint, self._place).finished_size = self.archive.size
