"""Progress of a run on stderr: a bar on a terminal, a line a minute elsewhere; and Ctrl-C."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Never

from tqdm import tqdm

from puzzlegen.cli.pace import Pace, duration
from puzzlegen.formats.importing import ImportReport
from puzzlegen.games.archive import Archive
from puzzlegen.mining.archive_run import Watcher
from puzzlegen.mining.summary import Summary

# Seconds between two lines where stderr is not a terminal.
LINE_EVERY = 60.0

# What is counted, and what all of it is.
WHOLE = {"B": "archive", "game": "games wanted", "puzzle": "puzzles", "pair": "pairs", "query": "queries"}

# A file of broken games should not bury everything else; the summary counts them all.
MOST_NOTICES = 50


class Progress:
    """Shows how far a run is: by the bytes of an archive, by the games with `limit`, or by puzzles.

    The end is estimated from what this run has done since its first report. `clock` gives seconds.
    """

    def __init__(self, limit: int | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.limit = limit
        self.stopping = False
        self._clock = clock
        self._shown: object = None
        self._unit = "B"
        self._pace = Pace(0, None, clock())
        self._bar: tqdm[Never] | None = None
        self._games = self._games_before = 0
        self._notices = 0
        self._last_line = clock()
        self._on_terminal = sys.stderr.isatty()

    def watcher(self) -> Watcher:
        """Return what `mine` reports to."""
        return Watcher(self.progressed, self.noticed, lambda: self.stopping)

    def progressed(self, archive: Archive, summary: Summary) -> None:
        """Show the counts of an archive so far."""
        if archive is not self._shown:
            self._games_before += self._games
        self._games = summary.games
        counts = f"{summary.games} games, {summary.candidates} candidates, {summary.puzzles} puzzles"
        if self.limit is None:
            self._show(archive, archive.name, "B", archive.finished(), archive.size, counts)
        else:
            games = self._games_before + summary.games
            self._show(archive, archive.name, "game", games, self.limit, counts)

    def imported(self, archive: Archive, report: ImportReport) -> None:
        """Show the counts of an import so far."""
        self._show(archive, archive.name, "B", archive.consumed(), archive.size, f"{report.stored} puzzles")

    def archived(self, archive: Archive, games: int, new: int) -> None:
        """Show how many games of an archive were read so far, and how many of them were new."""
        counts = f"{games} games, {new} archived"
        self._show(archive, archive.name, "B", archive.finished(), archive.size, counts)

    def audited(self, done: int, total: int) -> None:
        """Show how many of the puzzles were audited so far."""
        self._show(self, "audit", "puzzle", done, total, f"{done} puzzles")

    def tagged(self, done: int, total: int) -> None:
        """Show how many puzzles were tagged so far."""
        self._show(self, "retag", "puzzle", done, total, f"{done} puzzles")

    def paired(self, done: int, total: int) -> None:
        """Show how many pairs were made of puzzles so far."""
        self._show(self, "pairs", "pair", done, total, f"{done} pairs")

    def searched(self, done: int, total: int) -> None:
        """Show how many positions were searched for so far."""
        self._show(self, "searches", "query", done, total, f"{done} positions")

    def noticed(self, line: str) -> None:
        """Show a line about the input."""
        self._notices += 1
        if self._notices <= MOST_NOTICES:
            tqdm.write(line, file=sys.stderr)
        elif self._notices == MOST_NOTICES + 1:
            tqdm.write("(more of these are counted in the summary only)", file=sys.stderr)

    def _show(self, what: object, name: str, unit: str, done: int, total: int | None, counts: str) -> None:
        if what is not self._shown:
            self._shown, self._unit = what, unit
            self._pace = Pace(done, total, self._clock())
            self._open_bar(name)
        if self._bar is not None:
            self._bar.set_postfix_str(counts, refresh=False)
            self._bar.update(done - self._bar.n)
        elif self._clock() - self._last_line >= LINE_EVERY:
            self._last_line = self._clock()
            print(self._line(name, done, counts), file=sys.stderr, flush=True)

    def _line(self, name: str, done: int, counts: str) -> str:
        parts = [counts]
        if (share := self._pace.share(done)) is not None:
            parts.insert(0, f"{share:.1%} of the {WHOLE[self._unit]}")
        if (left := self._pace.seconds_left(done, self._clock())) is not None:
            parts.append(f"{duration(left)} to go")
        return f"{name}: {', '.join(parts)}"

    def close(self) -> None:
        """Leave the terminal as it should be."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Progress:
        self._handler = signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._handler)
        self.close()

    def _open_bar(self, name: str) -> None:
        self.close()
        if not self._on_terminal:
            return
        self._bar = tqdm(
            total=self._pace.total,
            # What was done before is no speed of this run.
            initial=self._pace.start,
            unit=self._unit,
            unit_scale=self._unit == "B",
            desc=name,
            file=sys.stderr,
        )

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if self.stopping:
            raise KeyboardInterrupt
        self.stopping = True
        tqdm.write("finishing the games at hand; Ctrl-C again stops at once", file=sys.stderr)
