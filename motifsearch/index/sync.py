"""Keeping an index what the database says: brought up to date where it lies, or made anew.

An index made from something else, by another version, or damaged, is made anew beside the old one and
swapped in when it is complete. One process at a time writes; a search in the meantime sees the index as it
was.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import tantivy
from filelock import FileLock, Timeout

from chess_motif.errors import IndexUnavailableError
from motifsearch.index import directory as indexes
from motifsearch.index.directory import Index

# Seconds to wait for another process that is writing.
LOCK_WAIT = 10.0


class Source(Protocol):
    """What an index is made from."""

    @property
    def origin(self) -> Mapping[str, object]:
        """What else than its documents makes an index unlike another."""

    @property
    def schema(self) -> tantivy.Schema:
        """The fields of a document."""

    def is_in(self, index: Index) -> bool:
        """Tell whether the index holds all of it, and nothing else."""

    def bring(self, index: Index) -> None:
        """Bring the index up to date; stopped anywhere, it can be done again."""

    def begins(self) -> None:
        """Take note that the index is made from nothing."""


def ignore(_: str) -> None:
    """Take no notice."""


def up_to_date(
    path: Path,
    source: Source,
    *,
    most_deleted: float = 0.0,
    rebuild: bool = False,
    behind: bool = False,
    notice: Callable[[str], None] = ignore,
) -> Index:
    """Return the index in the directory `path`, holding exactly what `source` is.

    It is made anew where more than the share `most_deleted` of its documents was deleted. With `behind`, an
    index that another process is writing is returned as it is so far, with a notice. Raises
    `IndexUnavailableError`, `StoreError`.
    """
    index = None if rebuild else indexes.open_made_from(path, source.origin)
    if index is not None and indexes.deleted_share(path) <= most_deleted and source.is_in(index):
        return index
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with write_lock(path, 0 if behind and index else LOCK_WAIT):
            return _brought(path, source, most_deleted, rebuild)
    except Timeout as error:
        if index is None or not behind:
            raise IndexUnavailableError(
                f"{path}: another process is writing the index; try again when it is done"
            ) from error
        notice(f"{path}: is being brought up to date; what is in it so far is searched")
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


def _brought(path: Path, source: Source, most_deleted: float, rebuild: bool) -> Index:
    # Looked at again: another process may have done the work while this one waited.
    index = None if rebuild else indexes.open_made_from(path, source.origin)
    if index is not None:
        source.bring(index)
        if indexes.deleted_share(path) <= most_deleted:
            return index
    if not indexes.is_ours(path):
        raise IndexUnavailableError(f"{path}: not a search index, so it is left alone; give another --index")
    source.begins()
    new, old = path.with_name(f"{path.name}.new"), path.with_name(f"{path.name}.old")
    # What an interrupted run left is gone on with, unless everything is to be done again.
    unfinished = None if rebuild else indexes.open_made_from(new, source.origin)
    if unfinished is None:
        shutil.rmtree(new, ignore_errors=True)
        unfinished = indexes.create(new, source.origin, source.schema)
    source.bring(unfinished)
    shutil.rmtree(old, ignore_errors=True)
    if path.exists():
        path.rename(old)
    new.rename(path)
    shutil.rmtree(old, ignore_errors=True)
    index = indexes.open_made_from(path, source.origin)
    if index is None:
        raise IndexUnavailableError(f"{path}: the index that was just written cannot be read")
    return index
