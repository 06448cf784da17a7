"""Indexing puzzles while they are stored, so that each line is replayed once for its tags and its terms.

`puzzlegen` finds `indexed` by the entry point `puzzlegen.indexer`. Whatever is not indexed here, such as
puzzles of another process, or the last ones before a kill, is left to the next search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Generic, TypeVar

from sqlalchemy import select

from chess_motif.errors import IndexUnavailableError
from chess_motif.progress import Progress
from db.games import rows_after
from db.models import Kind, Puzzle
from db.store import Store
from motifsearch.index.directory import Index, Writer, index_path
from motifsearch.index.sync import is_begun, open_synced
from motifsearch.puzzles.index import COMMIT_EVERY, WRITERS, Encoded, IndexReport, StoredPuzzles, extent
from motifsearch.terms.encoding import encode
from motifsearch.terms.weights import DEFAULT
from puzzlegen.indexer import Observer
from puzzlegen.reasons.tactics import Tactics

R = TypeVar("R")

_NAMES = select(Puzzle.number, Puzzle.id).where(Puzzle.kind == Kind.PUZZLE.value)


def indexed(store: Store, work: Callable[[Observer | None], R], progress: Progress) -> R:
    """Return the result of `work`, which stores puzzles and tells an observer, which indexes them.

    Puzzles that were stored before are indexed first. There is no observer, and nothing is indexed, if
    another process is writing the index, or if there are puzzles that nobody has ever searched.
    """
    path = index_path(store, DEFAULT.name)
    source = _GrowingPuzzles(store, work, IndexReport(DEFAULT.name, path), progress)
    if is_begun(path) or store.transact(extent, reading=True) == (0, 0):
        try:
            # Without progress: what it says of a lock is for searches.
            open_synced(path, source, Progress(), allow_stale=True, wait=0)
        except IndexUnavailableError as error:
            progress.notice(str(error))
    return source.result[0] if source.result else work(None)


class _GrowingPuzzles(StoredPuzzles, Generic[R]):
    """The puzzles of a store, and those that `work` stores, as the source of an index."""

    def __init__(
        self, store: Store, work: Callable[[Observer | None], R], report: IndexReport, progress: Progress
    ) -> None:
        super().__init__(store, DEFAULT, report, progress)
        self._work = work
        # What the work has returned, once it is done.
        self.result: list[R] = []

    def is_current(self, index: Index) -> bool:
        return bool(self.result) and super().is_current(index)

    def update(self, index: Index) -> None:
        super().update(index)
        if not self.result:
            with Writer(index, WRITERS) as writer:
                self.result.append(self._work(_Writing(self._store, writer, index.last_number)))
            super().update(index)


class _Writing:
    """Writes the documents of puzzles that are stored, the numbers of which are above `last`."""

    def __init__(self, store: Store, writer: Writer, last: int) -> None:
        self._store, self._writer, self._last, self._added = store, writer, last, 0

    @property
    def make(self) -> Callable[[Tactics], Encoded]:
        return _encoded

    def stored(self, made: Mapping[str, Any]) -> None:
        for number, name in rows_after(self._store, _NAMES, self._last):
            self._last = number
            if name in made:
                self._writer.add(replace(made[name], number=number, id=name).document())
                self._added += 1
                if self._added % COMMIT_EVERY == 0:
                    self._writer.commit()


def _encoded(tactics: Tactics) -> Encoded:
    """Return the terms of a puzzle that has no number yet."""
    return Encoded.of(0, "", encode(tactics))
