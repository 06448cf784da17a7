"""Progress on stderr: a bar on a terminal, a line a minute elsewhere; and Ctrl-C."""

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

# Seconds between two lines where stderr is not a terminal.
LINE_EVERY = 60.0

# A file of broken games should not bury everything else; the summary counts them all.
MOST_NOTICES = 50


@dataclass(frozen=True)
class _Task:
    """Work that began at the time `began` (in seconds), when `start` of `total` units were done."""

    name: str
    unit: str
    start: int
    total: int | None
    began: float

    def line(self, done: int, detail: str, now: float) -> str:
        """Return how far it is and, from what was done since it began, how long the rest takes."""
        parts = [detail] if detail else []
        if self.total:
            whole = "file" if self.unit == "B" else f"{self.total:,} {plural(self.unit)}"
            parts.insert(0, f"{min(1.0, done / self.total):.1%} of the {whole}")
            if done > self.start:
                left = (now - self.began) * max(0, self.total - done) / (done - self.start)
                parts.append(f"{duration(left)} to go")
        return f"{self.name}: {', '.join(parts)}"


class TerminalProgress(Progress):
    """Shows progress, one task at a time. Use it in a `with` statement. `clock` gives seconds."""

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
        """Show how much of the work called `name` is done; another name begins another bar."""
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
        """Show a line, unless there have been too many."""
        self._notices += 1
        if self._notices <= MOST_NOTICES:
            tqdm.write(line, file=sys.stderr)
        elif self._notices == MOST_NOTICES + 1:
            tqdm.write("(the summary counts the rest of these)", file=sys.stderr)

    def close(self) -> None:
        """Leave the terminal as it should be."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> TerminalProgress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def finishing_on_interrupt(self) -> Iterator[None]:
        """Let the first Ctrl-C ask the work to stop when it can, and the second one stop it at once."""
        before = signal.signal(signal.SIGINT, self._interrupted)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if self._stopping:
            raise KeyboardInterrupt
        self._stopping = True
        tqdm.write("finishing what has been begun; Ctrl-C again stops at once", file=sys.stderr)

    def _open_bar(self, task: _Task) -> None:
        self.close()
        if not sys.stderr.isatty():
            return
        self._bar = tqdm(
            total=task.total,
            # What was done before does not count as speed.
            initial=task.start,
            unit=task.unit if task.unit == "B" else f" {plural(task.unit)}",
            unit_scale=task.unit == "B",
            desc=task.name,
            file=sys.stderr,
        )


def duration(seconds: float) -> str:
    """Return a time in words, to the minute."""
    if seconds < 30:
        return "less than a minute"
    # Only here: most commands are over before they have to say how long they take.
    import humanize

    return humanize.precisedelta(timedelta(seconds=seconds), minimum_unit="minutes", format="%.0f")


def plural(unit: str) -> str:
    """Return the plural of a unit: games, puzzles, queries."""
    return f"{unit[:-1]}ies" if unit.endswith("y") else f"{unit}s"
