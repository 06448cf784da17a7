"""Keeping an index in step with the database: brought up to date in place, or rebuilt.

An index that is damaged, or was built from another database or by another version, is rebuilt beside the old
one and swapped in when it is complete. One process at a time writes; searches meanwhile see the index as it
was.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import tantivy
from filelock import FileLock, Timeout

from chess_motif.errors import IndexUnavailableError
from chess_motif.progress import Progress
from motifsearch.index.directory import Index, create, deleted_share, is_ours, open_made_from

# Seconds to wait for another process that is writing.
LOCK_WAIT = 10.0

# Work on fewer puzzles or games than this is over too soon to report progress.
WORTH_A_BAR = 200


class Source(Protocol):
    """What an index is built from."""

    @property
    def origin(self) -> Mapping[str, object]:
        """What the index depends on besides its documents; an index of another origin is rebuilt."""

    @property
    def schema(self) -> tantivy.Schema:
        """The fields of a document."""

    @property
    def most_deleted(self) -> float:
        """The largest share of deleted documents (0…1) that an index may have; beyond it, it is rebuilt."""

    def is_current(self, index: Index) -> bool:
        """Tell whether the index holds all documents of the source, and no others."""

    def sync(self, index: Index) -> None:
        """Bring the index up to date. After an interruption, calling it again does the rest."""

    def rebuilding(self) -> None:
        """Take note that the index is built from nothing."""


def open_synced(
    path: Path, source: Source, progress: Progress, *, rebuild: bool = False, allow_stale: bool = False
) -> Index:
    """Bring the index in the directory `path` up to date with `source`, and open it.

    With `allow_stale`, an index that another process is writing is opened as it is so far, with a notice.
    Raises `IndexUnavailableError`, `StoreError`.
    """
    index = None if rebuild else open_made_from(path, source.origin)
    if index is not None and deleted_share(path) <= source.most_deleted and source.is_current(index):
        return index
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with write_lock(path, 0 if allow_stale and index else LOCK_WAIT):
            return _synced(path, source, rebuild)
    except Timeout as error:
        if index is None or not allow_stale:
            raise IndexUnavailableError(
                f"{path}: another process is writing the index; try again when it is done"
            ) from error
        progress.notice(f"{path}: another process is updating the index; searching it as it is so far")
        return index
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise IndexUnavailableError(f"{path}: the index cannot be written: {reason}") from error


def write_lock(path: Path, wait: float) -> FileLock:
    """Return the lock, not taken yet, of the process that writes the index in the directory `path`.

    The system frees it when its holder dies. Taking it raises `Timeout` when another process holds it for
    `wait` seconds, `OSError` when its file cannot be created.
    """
    return FileLock(path.with_name(f"{path.name}.lock"), timeout=wait)


def worth_reporting(progress: Progress, units: int) -> Progress:
    """Return where to report progress with this many units of work: nowhere if they are few."""
    return progress if units >= WORTH_A_BAR else Progress()


def _synced(path: Path, source: Source, rebuild: bool) -> Index:
    """Bring the index up to date, or rebuild it, while holding the lock."""
    # Opened again: another process may have done the work while this one waited for the lock.
    index = None if rebuild else open_made_from(path, source.origin)
    if index is not None:
        source.sync(index)
        if deleted_share(path) <= source.most_deleted:
            return index
    if not is_ours(path):
        raise IndexUnavailableError(f"{path}: not a search index, so it is left alone; give another --index")
    source.rebuilding()
    new, old = path.with_name(f"{path.name}.new"), path.with_name(f"{path.name}.old")
    # A rebuild that was interrupted is resumed, unless everything is to be done again.
    unfinished = None if rebuild else open_made_from(new, source.origin)
    if unfinished is None:
        shutil.rmtree(new, ignore_errors=True)
        unfinished = create(new, source.origin, source.schema)
    source.sync(unfinished)
    shutil.rmtree(old, ignore_errors=True)
    if path.exists():
        path.rename(old)
    new.rename(path)
    shutil.rmtree(old, ignore_errors=True)
    index = open_made_from(path, source.origin)
    if index is None:
        raise IndexUnavailableError(f"{path}: the index that was just written cannot be read")
    return index
