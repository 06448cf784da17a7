"""Bringing the index of puzzles up to date: new ones are added in batches, deleted ones removed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from db.store import Store
from motifsearch.index import directory as indexes
from motifsearch.index.directory import Index, Writer
from motifsearch.index.sync import ignore, up_to_date
from motifsearch.puzzles import documents as puzzle_index
from motifsearch.puzzles.encoding import Row, encode_all
from motifsearch.puzzles.stored import extent, numbers_between, rows_after, rows_numbered
from motifsearch.terms import Mode

# Puzzles between two commits: what is lost at most when the process is killed.
COMMIT_EVERY = 50_000

# Database numbers compared at a time when deleted puzzles are looked for.
COMPARED = 20_000

# An index is made anew when more than this share of its documents was deleted: until then they count in how
# rare a term is. See docs/how-it-works/similarity.md.
MOST_DELETED = 0.05

# A progress bar is shown from this many puzzles on: fewer take less than a second.
WORTH_A_BAR = 1000


@dataclass
class IndexReport:
    """What was done. `puzzles` are in the index now, `unreadable` among those added. Seconds of wall time."""

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


def bring_up_to_date(
    store: Store,
    mode: Mode = Mode.DEFAULT,
    directory: Path | None = None,
    *,
    rebuild: bool = False,
    behind: bool = False,
    notice: Callable[[str], None] = ignore,
) -> tuple[Index, IndexReport]:
    """Return the index of a mode, holding exactly the puzzles of the store, and what that took.

    `directory` holds the indexes of both modes (default: `index.default_directory`). `notice` gets a
    line for each puzzle that cannot be read. With `behind`, an index that another process is writing is
    returned as it is so far, with a notice. Raises `IndexUnavailableError`, `StoreError`.
    """
    started = time.perf_counter()
    path = (directory or indexes.default_directory(store)) / mode
    report = IndexReport(mode, path)
    index = up_to_date(
        path,
        StoredPuzzles(store, report, notice),
        most_deleted=MOST_DELETED,
        rebuild=rebuild,
        behind=behind,
        notice=notice,
    )
    report.puzzles = index.count
    report.seconds = time.perf_counter() - started
    return index, report


class StoredPuzzles:
    """The puzzles of a store, as what an index is made from; what is done with them goes into `report`."""

    def __init__(self, store: Store, report: IndexReport, notice: Callable[[str], None]) -> None:
        self.origin = puzzle_index.origin_of(store, report.mode)
        self.schema = puzzle_index.schema()
        self._store, self._report, self._notice = store, report, notice

    def is_in(self, index: Index) -> bool:
        """Tell whether the index holds the puzzles of the store."""
        with self._store.reading() as session:
            return (index.count, index.last_number) == extent(session)

    def begins(self) -> None:
        """Take note that the index is made from nothing."""
        self._report.rebuilt = True
        self._report.added = self._report.unreadable = 0

    def bring(self, index: Index) -> None:
        """Add and remove what it takes, and commit."""
        with self._store.reading() as session:
            writer = Writer(index)
            count, last = extent(session)
            if last > index.last_number:
                rows = rows_after(session, index.last_number)
                self._add(writer, rows, max(count - index.count, 0))
            if (index.count, index.last_number) != (count, last):
                self._reconcile(index, writer, session, last)
            writer.close()

    def _add(self, writer: Writer, rows: Iterable[Row], expected: int) -> None:
        # Only here: most searches find the index complete and need no bar.
        from tqdm import tqdm

        puzzles = encode_all(rows, expected, self._report.mode)
        # None: a bar on terminals only.
        hidden = True if expected < WORTH_A_BAR else None
        bar = tqdm(puzzles, total=expected, unit=" puzzles", disable=hidden)
        try:
            for done, puzzle in enumerate(bar, start=1):
                if puzzle.problem:
                    self._report.unreadable += 1
                    self._notice(f"puzzle {puzzle.id} is not indexed: {puzzle.problem}")
                writer.add(puzzle_index.document(puzzle))
                self._report.added += 1
                if done % COMMIT_EVERY == 0:
                    writer.commit()
        except KeyboardInterrupt:
            # The next run goes on from here.
            writer.commit()
            raise
        writer.commit()

    def _reconcile(self, index: Index, writer: Writer, session: Session, last: int) -> None:
        """Compare all numbers, range by range; remove what was deleted and add what came out of order."""
        for first in range(0, max(last, index.last_number) + 1, COMPARED):
            stored = set(numbers_between(session, first, first + COMPARED))
            indexed = set(index.numbers_between(first, first + COMPARED))
            for number in indexed - stored:
                writer.remove(number)
                self._report.removed += 1
            if missing := sorted(stored - indexed):
                self._add(writer, rows_numbered(session, missing), len(missing))
        writer.commit()
