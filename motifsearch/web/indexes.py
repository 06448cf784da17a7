"""Indexes that are opened, and built if need be, in the background."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, Protocol, TypeVar

from chess_motif.errors import IndexBuildingError
from chess_motif.progress import Progress
from motifsearch.web.jobs import JobState, KnownProgress


class Closable(Protocol):
    """What is opened."""

    def close(self) -> None:
        """Close what was opened."""


T = TypeVar("T", bound=Closable)

# Seconds that a request waits for an index that only has to be opened.
PATIENCE = 1.0


class Opening(Generic[T]):
    """An index of `what`, in the plural, that a thread opens. Close it."""

    def __init__(self, what: str, opener: Callable[[Progress], T]) -> None:
        """Open it with `opener`, when it is asked for."""
        self._opener = opener
        self._stopping = threading.Event()
        self._progress = KnownProgress(JobState(what, ""), self._stopping)
        self._thread = ThreadPoolExecutor(1, "index")
        self._asking = threading.Lock()
        self._opened: Future[T] | None = None

    def begin(self) -> Future[T]:
        """Begin to open it, unless it is open, or being opened."""
        with self._asking:
            if self._opened is None or (self._opened.done() and self._opened.exception()):
                self._opened = self._thread.submit(self._opener, self._progress)
            return self._opened

    def get(self) -> T:
        """Return it. Raises `IndexBuildingError` if it must be built first, and as the opener does."""
        opened = self.begin()
        try:
            return opened.result(0 if self.message else PATIENCE)
        except TimeoutError as error:
            what = self._progress.state.title
            raise IndexBuildingError(self.message or f"The {what} cannot be searched yet") from error

    @property
    def message(self) -> str:
        """How far it is, if it is being built; otherwise empty."""
        state = self._progress.state
        if self._opened is None or self._opened.done() or not state.total:
            return ""
        to_go = f", {state.to_go} to go" if state.to_go else ""
        return f"The {state.title} are being indexed for searches: {state.percent} %{to_go}"

    def close(self) -> None:
        """Close it; one that is being built is built on the next time."""
        self._stopping.set()
        self._thread.shutdown()
        if self._opened is not None and not self._opened.exception():
            self._opened.result().close()
