"""Keeping an index in sync with the database: it is updated in place, or rebuilt.

An index that is damaged, or was built from another database or by another version, is rebuilt beside the old
one, which it replaces when it is complete. Only one process writes at a time; until it has finished, searches
see the index as it was.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import tantivy
from filelock import FileLock, Timeout

from chess_motif.errors import IndexUnavailableError, reason_of
from chess_motif.progress import Progress
from motifsearch.index.directory import Index, create, deleted_share, is_replaceable, open_built_from

# Seconds to wait while another process is writing.
LOCK_WAIT = 10.0

# With fewer puzzles or games than this, the work is done too soon for a progress bar.
WORTH_A_BAR = 200


class Source(Protocol):
    """What an index is built from."""

    @property
    def origin(self) -> Mapping[str, object]:
        """What the index depends on besides its documents: if this changes, the index is rebuilt."""

    @property
    def schema(self) -> tantivy.Schema:
        """The fields of a document."""

    @property
    def max_deleted(self) -> float:
        """The share of deleted documents (0…1) above which the index is rebuilt."""

    def is_current(self, index: Index) -> bool:
        """Return whether the index has all documents of the source and no others."""

    def sync(self, index: Index) -> None:
        """Bring the index up to date. After an interruption, another call resumes the work."""

    def on_rebuild(self) -> None:
        """Called before an index is built from scratch."""


def open_synced(
    path: Path, source: Source, progress: Progress, *, rebuild: bool = False, allow_stale: bool = False
) -> Index:
    """Bring the index in the directory `path` up to date with `source`, and open it.

    With `rebuild`, it is built from scratch in any case. With `allow_stale`, a stale index that another
    process is writing is opened as it is, with a notice. Raises `IndexUnavailableError`, `StoreError`.
    """
    index = None if rebuild else open_built_from(path, source.origin)
    if index is not None and deleted_share(path) <= source.max_deleted and source.is_current(index):
        return index
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with write_lock(path, 0 if allow_stale and index else LOCK_WAIT):
            return _synced(path, source, rebuild)
    except Timeout as error:
        if index is None or not allow_stale:
            raise busy(path) from error
        progress.notice(f"{path}: another process is updating the index; searching its last saved state")
        return index
    except OSError as error:
        reason = reason_of(error)
        raise IndexUnavailableError(f"{path}: the index cannot be written: {reason}") from error


def write_lock(path: Path, wait: float) -> FileLock:
    """Return the lock that a process needs in order to write the index in the directory `path`.

    It is not acquired yet. Acquiring it raises `Timeout` if another process still holds it after `wait`
    seconds, and `OSError` if its file cannot be created. The operating system releases it when its holder
    dies.
    """
    return FileLock(path.with_name(f"{path.name}.lock"), timeout=wait)


def busy(path: Path) -> IndexUnavailableError:
    """Return the error that another process has held the lock of the index in `path` for too long."""
    return IndexUnavailableError(
        f"{path}: another process is writing the index; try again when it has finished"
    )


def progress_of(progress: Progress, units: int) -> Progress:
    """Return `progress`, or one that shows nothing if there are few `units` (puzzles or games) of work."""
    return progress if units >= WORTH_A_BAR else Progress()


def _synced(path: Path, source: Source, rebuild: bool) -> Index:
    """Bring the index up to date, or rebuild it. The caller holds the lock."""
    # Opened again: another process may have done the work while this one waited for the lock.
    index = None if rebuild else open_built_from(path, source.origin)
    if index is not None:
        source.sync(index)
        if deleted_share(path) <= source.max_deleted:
            return index
    if not is_replaceable(path):
        raise IndexUnavailableError(f"{path}: not a search index, so it is left alone; give another --index")
    source.on_rebuild()
    new, old = path.with_name(f"{path.name}.new"), path.with_name(f"{path.name}.old")
    # An interrupted rebuild is resumed, unless another one is asked for.
    unfinished = None if rebuild else open_built_from(new, source.origin)
    if unfinished is None:
        shutil.rmtree(new, ignore_errors=True)
        unfinished = create(new, source.origin, source.schema)
    source.sync(unfinished)
    shutil.rmtree(old, ignore_errors=True)
    if path.exists():
        path.rename(old)
    new.rename(path)
    shutil.rmtree(old, ignore_errors=True)
    index = open_built_from(path, source.origin)
    if index is None:
        raise IndexUnavailableError(f"{path}: the new index cannot be read")
    return index
