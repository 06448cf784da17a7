"""Progress of a run on stderr: a bar on a terminal, a line a minute elsewhere; and Ctrl-C."""

from __future__ import annotations

import signal
import sys
import time
from types import FrameType
from typing import Never

from tqdm import tqdm

from puzzlegen.archive import Archive
from puzzlegen.imports import ImportReport
from puzzlegen.job import Watcher
from puzzlegen.summary import Summary

# Seconds between two lines where stderr is not a terminal.
LINE_EVERY = 60.0

# A file of broken games should not bury everything else; the summary counts them all.
MOST_NOTICES = 50


class Progress:
    """Shows how far a run is. The end is estimated from the bytes read, or the games with `limit`."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.stopping = False
        self._archive: Archive | None = None
        self._bar: tqdm[Never] | None = None
        self._notices = 0
        self._last_line = time.monotonic()
        self._on_terminal = sys.stderr.isatty()

    def watcher(self) -> Watcher:
        """Return what `mine` reports to."""
        return Watcher(self.progressed, self.noticed, lambda: self.stopping)

    def progressed(self, archive: Archive, summary: Summary) -> None:
        """Show the counts of an archive so far."""
        if archive is not self._archive:
            self._archive = archive
            self._open_bar(archive)
        counts = f"{summary.games} games, {summary.candidates} candidates, {summary.puzzles} puzzles"
        self._show(archive, summary.games if self.limit is not None else archive.consumed(), counts)

    def imported(self, archive: Archive, report: ImportReport) -> None:
        """Show the counts of an import so far."""
        if archive is not self._archive:
            self._archive = archive
            self._open_bar(archive)
        self._show(archive, archive.consumed(), f"{report.stored} puzzles")

    def noticed(self, line: str) -> None:
        """Show a line about the input."""
        self._notices += 1
        if self._notices <= MOST_NOTICES:
            tqdm.write(line, file=sys.stderr)
        elif self._notices == MOST_NOTICES + 1:
            tqdm.write("(more of these are counted in the summary only)", file=sys.stderr)

    def _show(self, archive: Archive, done: int, counts: str) -> None:
        if self._bar is not None:
            self._bar.set_postfix_str(counts, refresh=False)
            self._bar.update(done - self._bar.n)
        elif time.monotonic() - self._last_line >= LINE_EVERY:
            self._last_line = time.monotonic()
            print(f"{archive.name}: {counts}", file=sys.stderr, flush=True)

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

    def _open_bar(self, archive: Archive) -> None:
        self.close()
        if not self._on_terminal:
            return
        if self.limit is not None:
            self._bar = tqdm(total=self.limit, unit="game", desc=archive.name, file=sys.stderr)
        else:
            self._bar = tqdm(
                total=archive.size, unit="B", unit_scale=True, desc=archive.name, file=sys.stderr
            )

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if self.stopping:
            raise KeyboardInterrupt
        self.stopping = True
        tqdm.write("finishing the games at hand; Ctrl-C again stops at once", file=sys.stderr)
