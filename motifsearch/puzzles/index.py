"""Keeping a puzzle index in sync with the store: new puzzles are added, deleted ones removed."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from chess_motif.progress import Progress
from db.store import Store
from motifsearch.index.directory import Index, Writer, default_directory
from motifsearch.index.sync import open_synced, progress_of
from motifsearch.puzzles.documents import document, origin_of, schema
from motifsearch.puzzles.encoding import CHUNK, Row, encode_all
from motifsearch.puzzles.stored import extent, numbers_between, rows_after, rows_numbered
from motifsearch.terms import Mode

# Puzzles between two commits: at most this many are lost when the process is killed.
COMMIT_EVERY = 50_000

# Threads that write the index. One writes faster than ten cores encode.
WRITERS = 1

# Database numbers compared at a time when looking for deleted puzzles.
COMPARE_RANGE = 20_000

# An index is rebuilt when more than this share of its documents has been deleted: until then they still count
# in the idf of terms. See docs/how-it-works/similarity.md.
MOST_DELETED = 0.05


@dataclass
class IndexReport:
    """What an update did, in `seconds` of wall time.

    `puzzles` are in the index now; `unreadable` ones are among those `added`.
    """

    mode: Mode
    path: Path
    puzzles: int = 0
    added: int = 0
    removed: int = 0
    unreadable: int = 0
    rebuilt: bool = False
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Puzzles added per second."""
        return self.added / self.seconds

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {**vars(self), "path": str(self.path), "rate": self.rate}


def sync_puzzles(
    store: Store,
    mode: Mode = Mode.DEFAULT,
    directory: Path | None = None,
    *,
    rebuild: bool = False,
    allow_stale: bool = False,
    progress: Progress | None = None,
) -> tuple[Index, IndexReport]:
    """Bring the index of a mode up to date with the puzzles of the store; return it and a report.

    `directory` holds the indexes of both modes (default: `default_directory`). With `rebuild`, the index is
    built from scratch. With `allow_stale`, its last saved state is returned, with a notice, while another
    process is writing it (see `open_synced`). A puzzle that cannot be read is reported as a notice, too.
    Raises `IndexUnavailableError`, `StoreError`.
    """
    started = time.perf_counter()
    progress = progress or Progress()
    path = (directory or default_directory(store)) / mode
    report = IndexReport(mode, path)
    source = StoredPuzzles(store, report, progress)
    index = open_synced(path, source, progress, rebuild=rebuild, allow_stale=allow_stale)
    report.puzzles = index.count
    report.seconds = time.perf_counter() - started
    return index, report


class StoredPuzzles:
    """The puzzles of a store as the source of an index; what is done with them is counted in `report`."""

    def __init__(self, store: Store, report: IndexReport, progress: Progress) -> None:
        self.origin = origin_of(store, report.mode)
        self.schema = schema()
        self.max_deleted = MOST_DELETED
        self._store, self._report, self._progress = store, report, progress

    def is_current(self, index: Index) -> bool:
        """Return whether the index has all puzzles of the store and no others."""
        with self._store.reading() as session:
            return (index.count, index.last_number) == extent(session)

    def on_rebuild(self) -> None:
        """Start the counts of the report again."""
        self._report.rebuilt = True
        self._report.added = self._report.unreadable = 0

    def sync(self, index: Index) -> None:
        """Add missing puzzles, remove deleted ones, and commit."""
        with self._store.reading() as session, closing(Writer(index, WRITERS)) as writer:
            count, last = extent(session)
            if last > index.last_number:
                rows = rows_after(session, index.last_number)
                self._add(writer, rows, max(count - index.count, 0))
            if (index.count, index.last_number) != (count, last):
                self._reconcile(index, writer, session, last)

    def _add(self, writer: Writer, rows: Iterable[Row], expected: int) -> None:
        progress = progress_of(self._progress, expected)
        done = 0
        try:
            for done, puzzle in enumerate(encode_all(rows, expected, self._report.mode), start=1):
                if puzzle.problem:
                    self._report.unreadable += 1
                    self._progress.notice(f"puzzle {puzzle.id} is not indexed: {puzzle.problem}")
                writer.add(document(puzzle))
                self._report.added += 1
                if done % CHUNK == 0:
                    progress.update("indexing", done, expected, "puzzle")
                if done % COMMIT_EVERY == 0:
                    writer.commit()
        except KeyboardInterrupt:
            # What is committed need not be repeated.
            writer.commit()
            raise
        writer.commit()
        progress.update("indexing", done, expected, "puzzle")

    def _reconcile(self, index: Index, writer: Writer, session: Session, last: int) -> None:
        """Compare all numbers, a range at a time: remove deleted puzzles, add any that are missing."""
        for first in range(0, max(last, index.last_number) + 1, COMPARE_RANGE):
            stored = set(numbers_between(session, first, first + COMPARE_RANGE))
            indexed = set(index.numbers_between(first, first + COMPARE_RANGE))
            for number in indexed - stored:
                writer.remove(number)
                self._report.removed += 1
            if missing := sorted(stored - indexed):
                self._add(writer, rows_numbered(session, missing), len(missing))
        writer.commit()
