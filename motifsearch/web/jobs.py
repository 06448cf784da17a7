"""Games that are analysed in the background, one request after the other, with progress to ask for."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from chess_motif.errors import InputError
from chess_motif.progress import Progress, duration
from motifsearch.web.problems import public_message

# What a job does; it reports how far it is.
Work = Callable[[Progress], None]

# Requests that wait; another one is refused.
MOST_WAITING = 4


@dataclass(frozen=True)
class JobState:
    """How far a job is: what it does now (`name`), how much of it is `done`, and how it ended, if it has.

    `done` and `total` are in `unit`s; `total` is None if it is not known. `seconds` have passed since what it
    does now began. A job that was `stopped` has ended early. `waiting` is how many others wait.
    """

    title: str
    student: str
    name: str = ""
    done: int = 0
    total: int | None = None
    unit: str = ""
    detail: str = ""
    seconds: float = 0.0
    ended: bool = False
    stopped: bool = False
    error: str = ""
    notices: tuple[str, ...] = ()
    waiting: int = 0

    @property
    def percent(self) -> int:
        """How much of what is done now is done."""
        return min(100, round(100 * self.done / self.total)) if self.total else 0

    @property
    def to_go(self) -> str:
        """How long that will take from now on, in words; empty if it is not known yet."""
        if not self.total or not self.done:
            return ""
        return duration(self.seconds * (self.total - self.done) / self.done)


class Jobs:
    """Does jobs in a thread, one after the other. Stop it at the end."""

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        """Start the thread. Messages about jobs leave out these folders."""
        self._folders = [f"{folder}{os.sep}" for folder in folders]
        self._waiting: queue.Queue[tuple[KnownProgress, Work] | None] = queue.Queue(MOST_WAITING)
        self._last: KnownProgress | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="analysis")
        self._thread.start()

    def begin(self, title: str, student: str, work: Work) -> None:
        """Do some work when those before are done. Raises `InputError` if too many wait."""
        job = KnownProgress(JobState(title, student), self._stopping, self._folders)
        try:
            self._waiting.put_nowait((job, work))
        except queue.Full as error:
            raise InputError("too many analyses wait; try again when one is done") from error
        if self._last is None or self._last.state.ended:
            self._last = job

    def cancel(self) -> None:
        """Let the job that is being done save its work and end."""
        if self._last is not None:
            self._last.cancelled = True

    @property
    def stopping(self) -> bool:
        """Whether jobs end because the process does."""
        return self._stopping.is_set()

    @property
    def state(self) -> JobState | None:
        """How far the job is that is being done, or was last; None before the first one."""
        if self._last is None:
            return None
        return replace(self._last.state, waiting=self._waiting.qsize())

    def stop(self) -> None:
        """Let the job that is being done save its work and end, and forget those that wait."""
        self._stopping.set()
        while True:
            try:
                self._waiting.put_nowait(None)
                break
            except queue.Full:
                self._waiting.get_nowait()
        self._thread.join()

    def _work(self) -> None:
        while (asked := self._waiting.get()) is not None and not self._stopping.is_set():
            self._last, work = asked
            self._last.do(work)


class KnownProgress(Progress):
    """How far something is, to ask for; it stops when it is cancelled, or with the process.

    Messages leave out the `folders` in which files are.
    """

    def __init__(self, state: JobState, stopping: threading.Event, folders: Sequence[str] = ()) -> None:
        """Begin with a state."""
        self.state, self.cancelled = state, False
        self._stopping, self._folders = stopping, folders
        self._began = 0.0

    @property
    def stopping(self) -> bool:
        """Whether to stop."""
        return self.cancelled or self._stopping.is_set()

    def update(self, name: str, done: int, total: int | None, unit: str, detail: str = "") -> None:
        """Note how far it is."""
        now, name, detail = time.monotonic(), self.hide(name), self.hide(detail)
        if name != self.state.name:
            self._began = now
        self.state = replace(
            self.state, name=name, done=done, total=total, unit=unit, detail=detail, seconds=now - self._began
        )

    def notice(self, line: str) -> None:
        """Note a line."""
        self.state = replace(self.state, notices=(*self.state.notices, self.hide(line))[-5:])

    def hide(self, text: str) -> str:
        """Return a text without the folders."""
        for folder in self._folders:
            text = text.replace(folder, "")
        return text

    def do(self, work: Work) -> None:
        """Do some work, and note how it ended."""
        error = ""
        try:
            # It is raised where work is asked to stop.
            with suppress(KeyboardInterrupt):
                work(self)
        except Exception as reason:  # noqa: BLE001 - those that wait are done even so
            error = self.hide(public_message(reason))
        self.state = replace(self.state, ended=True, stopped=self.stopping, error=error)
