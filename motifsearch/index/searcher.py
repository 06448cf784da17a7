"""What all searchers have in common: an index that is opened once and stays open."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Self, TypeVar

from chess_motif.errors import IndexDamagedError
from chess_motif.progress import Progress
from db.store import Store
from motifsearch.index.directory import Index

T = TypeVar("T")


class IndexSearcher(ABC):
    """An open index of the contents of a store. Use it in a `with` statement, or call `close`.

    Searches see the store as it was when the searcher was opened or last refreshed.
    """

    def __init__(self, store: Store, directory: Path | None = None, progress: Progress | None = None) -> None:
        self.store = store
        self._directory = directory
        self._progress = progress
        self._open_index: Index | None = self._synced(allow_stale=True)

    def refresh(self) -> None:
        """Bring the index up to date with the store, unless another process is doing so.

        Fast if nothing has changed. Raises as opening does.
        """
        self._open_index = self._synced(allow_stale=True)

    def close(self) -> None:
        """Close the index. Closing a searcher twice has no effect."""
        self._open_index = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _index(self) -> Index:
        if self._open_index is None:
            raise ValueError("this searcher has been closed")
        return self._open_index

    def _answer(self, search: Callable[[], T]) -> T:
        """Return what `search` returns. If it meets damage, the index is rebuilt and searched once more."""
        try:
            return search()
        except IndexDamagedError:
            self._open_index = self._synced(allow_stale=False)
            return search()

    @abstractmethod
    def _synced(self, *, allow_stale: bool) -> Index:
        """Return the index, brought up to date as `sync.open_synced` does."""
