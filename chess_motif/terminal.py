"""Progress on stderr (a bar on a terminal, one line a minute elsewhere), and stopping on Ctrl-C."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from types import FrameType
from typing import Never

from tqdm import tqdm

from chess_motif.progress import Progress
from chess_motif.text import clean

# Seconds between progress lines where stderr is not a terminal.
LINE_EVERY = 60.0

# Notices shown at most: a file of broken games should not bury everything else.
MOST_NOTICES = 50


@dataclass(frozen=True)
class _Task:
    """A task that began at `began` (in seconds), with `start` of `total` units already done."""

    name: str
    unit: str
    start: int
    total: int | None
    began: float

    def line(self, done: int, detail: str, now: float) -> str:
        """Return the share that is done, `detail`, and an estimate of the time left."""
        parts = [detail] if detail else []
        if self.total:
            whole = "file" if self.unit == "B" else f"{self.total:,} {plural(self.unit)}"
            parts.insert(0, f"{min(1.0, done / self.total):.1%} of the {whole}")
            if done > self.start:
                seconds = (now - self.began) * max(0, self.total - done) / (done - self.start)
                parts.append(f"{duration(seconds)} to go")
        return f"{self.name}: {', '.join(parts)}"


class TerminalProgress(Progress):
    """Shows progress, one task at a time. Use it in a `with` statement. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._stopping = False
        self._task: _Task | None = None
        self._bar: tqdm[Never] | None = None
        self._notices = 0
        self._last_line = clock()

    @property
    def stopping(self) -> bool:
        """Whether Ctrl-C was pressed, see `finishing_on_interrupt`."""
        return self._stopping

    def update(self, name: str, done: int, total: int | None, unit: str, detail: str = "") -> None:
        """Show that `done` of `total` units of the task `name` are done. A new task opens a new bar."""
        if self._task is None or (self._task.name, self._task.unit) != (name, unit):
            self._task = _Task(name, unit, done, total, self._clock())
            self._open_bar(self._task)
        if self._bar is not None:
            self._bar.set_postfix_str(detail, refresh=False)
            self._bar.update(done - self._bar.n)
        elif self._clock() - self._last_line >= LINE_EVERY:
            self._last_line = self._clock()
            print(self._task.line(done, detail, self._last_line), file=sys.stderr, flush=True)

    def notice(self, line: str) -> None:
        """Show a line, unless `MOST_NOTICES` have been shown."""
        self._notices += 1
        if self._notices <= MOST_NOTICES:
            tqdm.write(clean(line), file=sys.stderr)
        elif self._notices == MOST_NOTICES + 1:
            tqdm.write("(no more of these are shown; the summary counts them all)", file=sys.stderr)

    def close(self) -> None:
        """Close the bar, if there is one."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> TerminalProgress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def finishing_on_interrupt(self) -> Iterator[None]:
        """Let the first Ctrl-C set `stopping`, and the second one raise `KeyboardInterrupt`."""
        before = signal.signal(signal.SIGINT, self._interrupted)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if self._stopping:
            raise KeyboardInterrupt
        self._stopping = True
        tqdm.write("finishing the work in progress; press Ctrl-C again to stop at once", file=sys.stderr)

    def _open_bar(self, task: _Task) -> None:
        self.close()
        if not sys.stderr.isatty():
            return
        self._bar = tqdm(
            total=task.total,
            # Units done before do not count towards the speed.
            initial=task.start,
            unit=task.unit if task.unit == "B" else f" {plural(task.unit)}",
            unit_scale=task.unit == "B",
            desc=task.name,
            file=sys.stderr,
        )


def duration(seconds: float) -> str:
    """Return a duration in words, rounded to minutes."""
    if seconds < 30:
        return "less than a minute"
    # Imported when needed: most commands finish before they have to estimate anything.
    import humanize

    return humanize.precisedelta(timedelta(seconds=seconds), minimum_unit="minutes", format="%.0f")


def plural(unit: str) -> str:
    """Return the plural of a unit: games, puzzles, queries."""
    return f"{unit[:-1]}ies" if unit.endswith("y") else f"{unit}s"
