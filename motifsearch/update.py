"""Bringing the search index up to date with the database.

New puzzles are added in batches, deleted ones removed, and an index made from another store, another
version of the terms, or damaged, is made anew beside the old one and swapped in when it is complete.
One process at a time writes; a search in the meantime sees the index as it was.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from chess_motif.errors import IndexUnavailableError
from db.store import Store
from motifsearch import index as indexes
from motifsearch.encoding import Row, encode_all
from motifsearch.index import Index, Writer
from motifsearch.lock import only_process
from motifsearch.stored import extent, numbers_between, rows_after, rows_numbered
from motifsearch.terms import Mode

# Puzzles between two commits: what is lost at most when the process is killed.
COMMIT_EVERY = 50_000

# Database numbers compared at a time when deleted puzzles are looked for.
COMPARED = 20_000

# An index is made anew when more than this share of its documents was deleted: until then they count in how
# rare a term is. See docs/similarity.md.
MOST_DELETED = 0.05

# Seconds to wait for another process that is writing.
LOCK_WAIT = 10.0

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


def ignore(_: str) -> None:
    """Take no notice."""


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
    directory = directory or indexes.default_directory(store)
    path = directory / mode
    report = IndexReport(mode, path)
    origin = indexes.origin_of(store, mode)
    index = None if rebuild else indexes.open_made_from(path, origin)
    if index is None or not _is_fit(index, path, store):
        try:
            directory.mkdir(parents=True, exist_ok=True)
            with only_process(directory / f"{mode}.lock", 0 if behind and index else LOCK_WAIT):
                index = _update(store, path, origin, rebuild, report, notice)
        except BlockingIOError as error:
            if index is None or not behind:
                raise IndexUnavailableError(
                    f"{path}: another process is writing the index; try again when it is done"
                ) from error
            notice(f"{path}: is being brought up to date; {index.count:,} puzzles are in it so far")
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise IndexUnavailableError(f"{path}: the index cannot be written: {reason}") from error
    report.puzzles = index.count
    report.seconds = time.perf_counter() - started
    return index, report


def _is_fit(index: Index, path: Path, store: Store) -> bool:
    """Tell whether an index holds the puzzles of the store, and not too many that were deleted."""
    if indexes.deleted_share(path) > MOST_DELETED:
        return False
    with store.reading() as session:
        return (index.count, index.last_number) == extent(session)


def _update(
    store: Store,
    path: Path,
    origin: dict[str, object],
    rebuild: bool,
    report: IndexReport,
    notice: Callable[[str], None],
) -> Index:
    # Looked at again: another process may have done the work while this one waited.
    index = None if rebuild else indexes.open_made_from(path, origin)
    if index is not None:
        _catch_up(index, store, report, notice)
        if indexes.deleted_share(path) <= MOST_DELETED:
            return index
        report.added = report.unreadable = 0
    if not indexes.is_ours(path):
        raise IndexUnavailableError(f"{path}: not a search index, so it is left alone; give another --index")
    report.rebuilt = True
    new, old = path.with_name(f"{path.name}.new"), path.with_name(f"{path.name}.old")
    # What an interrupted run left is gone on with, unless everything is to be done again.
    unfinished = None if rebuild else indexes.open_made_from(new, origin)
    if unfinished is None:
        shutil.rmtree(new, ignore_errors=True)
        unfinished = indexes.create(new, origin)
    _catch_up(unfinished, store, report, notice)
    shutil.rmtree(old, ignore_errors=True)
    if path.exists():
        path.rename(old)
    new.rename(path)
    shutil.rmtree(old, ignore_errors=True)
    index = indexes.open_made_from(path, origin)
    if index is None:
        raise IndexUnavailableError(f"{path}: the index that was just written cannot be read")
    return index


def _catch_up(index: Index, store: Store, report: IndexReport, notice: Callable[[str], None]) -> None:
    with store.reading() as session:
        writer = Writer(index)
        count, last = extent(session)
        if last > index.last_number:
            rows = rows_after(session, index.last_number)
            _add(writer, rows, max(count - index.count, 0), report, notice)
        if (index.count, index.last_number) != (count, last):
            _reconcile(index, writer, session, last, report, notice)
        writer.close()


def _add(
    writer: Writer, rows: Iterable[Row], expected: int, report: IndexReport, notice: Callable[[str], None]
) -> None:
    # Only here: most searches find the index complete and need no bar.
    from tqdm import tqdm

    puzzles = encode_all(rows, expected, report.mode)
    # None: a bar on terminals only.
    hidden = True if expected < WORTH_A_BAR else None
    bar = tqdm(puzzles, total=expected, unit=" puzzles", disable=hidden)
    try:
        for done, puzzle in enumerate(bar, start=1):
            if puzzle.problem:
                report.unreadable += 1
                notice(f"puzzle {puzzle.id} is not indexed: {puzzle.problem}")
            writer.add(puzzle)
            report.added += 1
            if done % COMMIT_EVERY == 0:
                writer.commit()
    except KeyboardInterrupt:
        # The next run goes on from here.
        writer.commit()
        raise
    writer.commit()


def _reconcile(
    index: Index,
    writer: Writer,
    session: Session,
    last: int,
    report: IndexReport,
    notice: Callable[[str], None],
) -> None:
    """Compare all numbers, range by range; remove what was deleted and add what came out of order."""
    for first in range(0, max(last, index.last_number) + 1, COMPARED):
        stored = set(numbers_between(session, first, first + COMPARED))
        indexed = set(index.numbers_between(first, first + COMPARED))
        for number in indexed - stored:
            writer.remove(number)
            report.removed += 1
        if missing := sorted(stored - indexed):
            _add(writer, rows_numbered(session, missing), len(missing), report, notice)
    writer.commit()
