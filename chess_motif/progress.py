"""Progress of long-running functions, and how to stop them.

A function that takes a `Progress` calls `update` regularly and `notice` for input that it cannot use. Once
`stopping` is true, the function saves its work and returns early. `TerminalProgress` shows a bar on a
terminal, a line now and then elsewhere, and stops on Ctrl-C.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Never

from chess_motif.logs import LOGGER
from chess_motif.output import note
from chess_motif.text import clean, counted, plural

if TYPE_CHECKING:
    from tqdm import tqdm


# Seconds before the first progress line, and between those after it, where stderr is not a terminal.
FIRST_LINE = 5.0
LINE_EVERY = 60.0

# The most columns for the name of a task beside its bar.
NAME_WIDTH = 32

# The most notices that are shown: a file of broken games should not bury everything else.
MOST_NOTICES = 50


class Progress:
    """Ignores everything that is reported. Override the methods of interest."""

    @property
    def stopping(self) -> bool:
        """Whether to finish the work in progress and return."""
        return False

    def update(self, name: str, done: int, total: int | None, unit: str, detail: str = "") -> None:
        """Report that `done` of `total` units (None: unknown) of the task `name` are done.

        `unit` is the singular of what is counted, or `B` for the bytes of a file; `detail` is text to show.
        """

    def notice(self, line: str) -> None:
        """Report a line about skipped input, or about anything else that the user should know."""


class TerminalProgress(Progress):
    """Shows progress, one task at a time. Use it in a `with` statement. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        # Imported now: the handler of Ctrl-C writes through tqdm, and must not find it half imported.
        from tqdm import tqdm  # noqa: F401

        self._clock = clock
        self._stopping = False
        self._task: _Task | None = None
        self._bar: tqdm[Never] | None = None
        self._notices = 0
        self._next_line = clock() + FIRST_LINE

    @property
    def stopping(self) -> bool:
        """Whether Ctrl-C was pressed, see `finishing_on_interrupt`."""
        return self._stopping

    def update(self, name: str, done: int, total: int | None, unit: str, detail: str = "") -> None:
        """Show that `done` of `total` units of the task `name` are done. A new task opens a new bar."""
        now = self._clock()
        task = self._task
        if task is None or (task.name, task.unit) != (name, unit):
            self.close()
            self._task = task = _Task(name, unit, done, now)
            self._next_line = min(self._next_line, now + FIRST_LINE)
            self._bar = _bar(task, total) if sys.stderr.isatty() else None
        task.done, task.total, task.detail = done, total, detail
        if self._bar is not None:
            self._bar.total = total
            self._bar.set_postfix_str(detail, refresh=False)
            self._bar.update(done - self._bar.n)
        elif now >= self._next_line:
            self._next_line = now + LINE_EVERY
            self._report(task, now)

    def notice(self, line: str) -> None:
        """Show a line, unless `MOST_NOTICES` have been shown, and log it as a warning."""
        LOGGER.warning(clean(line))
        self._notices += 1
        if self._notices <= MOST_NOTICES:
            _write(line)
        elif self._notices == MOST_NOTICES + 1:
            _write("(no more notices are shown; the summary counts them all)")

    def close(self) -> None:
        """End the task, if there is one, with its final state."""
        if self._bar is not None:
            self._bar.close()
        elif self._task is not None and self._task.reported:
            self._report(self._task, self._clock())
        self._bar = self._task = None

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
        _write("finishing the work in progress; press Ctrl-C again to stop at once")

    def _report(self, task: _Task, now: float) -> None:
        task.reported = True
        _write(task.line(now))


@dataclass
class _Task:
    """A task that began at `began` (in seconds), with `start` of its units already done."""

    name: str
    unit: str
    start: int
    began: float
    done: int = 0
    total: int | None = None
    detail: str = ""
    reported: bool = False

    def line(self, now: float) -> str:
        """Return the share done, the detail, and an estimate of the time left."""
        parts = [self.detail] if self.detail else []
        if self.total:
            whole = "file" if self.unit == "B" else f"{self.total:,} {plural(self.unit)}"
            parts.insert(0, f"{min(1.0, self.done / self.total):.1%} of the {whole}")
            if self.start < self.done < self.total:
                seconds = (now - self.began) * (self.total - self.done) / (self.done - self.start)
                parts.append(f"{duration(seconds)} to go")
        return f"{self.name}: {', '.join(parts)}"


def _bar(task: _Task, total: int | None) -> tqdm[Never]:
    name = Path(task.name).name
    # Imported only here and below: most commands are done before they would show a bar.
    from tqdm import tqdm

    return tqdm(
        total=total,
        # Units done before do not count towards the speed.
        initial=task.start,
        unit=task.unit if task.unit == "B" else f" {plural(task.unit)}",
        unit_scale=task.unit == "B",
        desc=name if len(name) <= NAME_WIDTH else f"…{name[1 - NAME_WIDTH :]}",
        file=sys.stderr,
    )


def _write(line: str) -> None:
    """Print a line above the bar."""
    from tqdm import tqdm

    with tqdm.external_write_mode(file=sys.stderr):
        note(line)


def duration(seconds: float) -> str:
    """Return a duration in words, such as `2 hours and 5 minutes`."""
    if seconds < 30:
        return "less than a minute"
    hours, minutes = divmod(round(seconds / 60), 60)
    days, hours = divmod(hours, 24)
    counts = ((days, "day"), (hours, "hour"), (minutes, "minute"))
    return " and ".join([counted(number, unit) for number, unit in counts if number][:2])
