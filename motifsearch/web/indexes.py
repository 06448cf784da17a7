"""Indexes that are opened, and built if need be, in the background."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from chess_motif.errors import ChessMotifError, IndexBuildingError
from chess_motif.progress import Progress
from motifsearch.web.jobs import Jobs


class Closable(Protocol):
    """What is opened."""

    def close(self) -> None:
        """Close it."""


T = TypeVar("T", bound=Closable)

# Seconds that a request waits for an index that only has to be opened.
PATIENCE = 1.0


class Opening(Generic[T]):
    """An index of `what`, in the plural, that a thread opens. Close it."""

    def __init__(self, what: str, opener: Callable[[Progress], T]) -> None:
        """Open it with `opener`, when it is asked for."""
        self._what, self._opener = what, opener
        self._jobs = Jobs()
        self._asking = threading.Lock()
        self._ended = threading.Event()
        self._opened: T | None = None
        self._error: ChessMotifError | None = None

    def begin(self) -> None:
        """Begin to open it, unless it is open, or being opened."""
        with self._asking:
            state = self._jobs.state
            if self._opened is None and (state is None or state.ended):
                self._ended.clear()
                self._jobs.begin(self._what, "", self._open)

    def get(self) -> T:
        """Return it. Raises `IndexBuildingError` if it must be built first, and as the opener does."""
        self.begin()
        if not self.told:
            self._ended.wait(PATIENCE)
        if self._opened is not None:
            return self._opened
        if self._ended.is_set() and self._error is not None:
            raise self._error
        raise IndexBuildingError(self.told or f"The {self._what} cannot be searched yet")

    @property
    def told(self) -> str:
        """How far it is, if it is being built; else empty."""
        state = self._jobs.state
        if state is None or state.ended or not state.total:
            return ""
        to_go = f", {state.to_go} to go" if state.to_go else ""
        return f"The {self._what} are being indexed for searches: {state.percent} %{to_go}"

    def close(self) -> None:
        """Close it; one that is being built is built on the next time."""
        self._jobs.stop()
        if self._opened is not None:
            self._opened.close()

    def _open(self, progress: Progress) -> None:
        try:
            self._opened, self._error = self._opener(progress), None
        except ChessMotifError as error:
            self._error = error
        finally:
            self._ended.set()
