"""Keeping an index open and in sync with the database: an index is updated in place, or rebuilt.

An index that is damaged, or was built from another database or by another version, is rebuilt in a new
folder, which replaces the old folder when it is complete. Only one process writes at a time; until it has
finished, searches see the index as it was.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from threading import Lock, Thread
from typing import Generic, Protocol, Self, TypeVar

import tantivy
from filelock import FileLock, Timeout

from chess_motif.errors import (
    ChessMotifError,
    IndexDamagedError,
    IndexUnavailableError,
    InputError,
    reason_of,
)
from chess_motif.output import rename
from chess_motif.progress import Progress
from motifsearch.index.directory import (
    LOCK_WAIT,
    TANTIVY_FILE,
    Index,
    busy,
    create,
    damaged,
    deleted_share,
    is_replaceable,
    open_index,
    origin_in,
    source_lock,
    write_lock,
)
from motifsearch.index.manifest import (
    MANIFEST_FILE,
    check_files,
    is_unchanged,
    remove_manifest,
    write_manifest,
)

T = TypeVar("T")
# An index, or its shards.
Opened = TypeVar("Opened")

# With fewer puzzles or games than this, a progress bar is not worth while.
WORTH_A_BAR = 200

# Seconds between two checks whether the source of an open index has changed.
LOOK_EVERY = 2.0

# Seconds that a search waits for an update. After a large import, searches use the index as it was.
LOOK_WAIT = 1.0

# Seconds to wait for a lock before giving a notice, and between two checks whether to stop waiting.
MOMENT = 1.0


class OpenIndex(Generic[Opened]):
    """An index that stays open until the end of a `with` statement, or until `close`. Threads may share it.

    A search first updates the index if its source has changed, which is checked every `LOOK_EVERY` seconds at
    most. `synced` updates and opens the index as `open_synced` does; its one argument is `allow_stale`.
    `state` quickly returns a value that changes whenever the source does, and `is_current` returns whether an
    index has the whole source.
    """

    def __init__(
        self,
        synced: Callable[[bool], Opened],
        state: Callable[[], object],
        is_current: Callable[[Opened], bool],
    ) -> None:
        self._synced, self._state, self._is_current = synced, state, is_current
        self._updating = Lock()
        # The state of the source that the index has; None if the index may lack something.
        self._seen: object = None
        self._next_look = 0.0
        self._index: Opened | None = None
        self.refresh()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def refresh(self) -> None:
        """Bring the index up to date with its source now, unless another process is doing so.

        Searches do so after some seconds. Fast if nothing has changed. Raises what opening the index raises.
        """
        with self._updating:
            self._update()

    def answer(self, search: Callable[[Opened], T]) -> T:
        """Return the result of `search`. If the index is damaged, it is rebuilt and searched once more."""
        if self._index is None:
            raise InputError("this searcher has been closed")
        if time.monotonic() >= self._next_look and self._updating.acquire(blocking=False):
            # While another thread updates the index, searches use it as it is.
            looking = Thread(target=self._look, name="index")
            looking.start()
            looking.join(LOOK_WAIT)
        try:
            return search(self._index)
        except IndexDamagedError:
            with self._updating:
                self._index = self._synced(False)
            return search(self._index)

    def _look(self) -> None:
        """Bring the index up to date if its source has changed, and let other threads check again."""
        try:
            # An index that cannot be updated can still be searched.
            with suppress(ChessMotifError, KeyboardInterrupt):
                if self._seen is None or self._state() != self._seen:
                    self._update()
        finally:
            self._next_look = time.monotonic() + LOOK_EVERY
            self._updating.release()

    def _update(self) -> None:
        # Changes from now on are seen at the next check.
        state = self._state()
        self._index = index = self._synced(True)
        self._seen = state if self._is_current(index) else None
        self._next_look = time.monotonic() + LOOK_EVERY

    def close(self) -> None:
        """Close the index. Closing it twice has no effect."""
        self._index = None


class Source(Protocol):
    """What an index is built from."""

    @property
    def origin(self) -> Mapping[str, object]:
        """Whatever the index depends on besides its documents: a change rebuilds the index."""

    @property
    def schema(self) -> tantivy.Schema:
        """The fields of a document."""

    @property
    def max_deleted(self) -> float:
        """The share of deleted documents (0…1) above which the index is rebuilt."""

    def is_current(self, index: Index) -> bool:
        """Return whether the index has all documents of the source and no others."""

    def update(self, index: Index) -> None:
        """Add missing documents, remove deleted ones, and commit. An interrupted update can be resumed."""


def open_synced(
    path: Path,
    source: Source,
    progress: Progress | None,
    *,
    rebuild: bool = False,
    allow_stale: bool = False,
    whole: Path | None = None,
    wait: float | None = None,
) -> tuple[Index, bool]:
    """Bring the index in the directory `path` up to date, open it, and say whether it was rebuilt.

    A damaged index is rebuilt, with a notice; with `rebuild`, any index is rebuilt. All files are checked for
    damage; with `allow_stale`, only files that have changed since the last check.

    Another process may be writing the index, or storing more games or puzzles (it then holds the
    `source_lock` of `path`, or of `whole` if the index is a shard). With `allow_stale`, the last saved state
    is then opened, with a notice. If there is no saved state, the call waits, with a notice, until `progress`
    is stopping. Without `progress`, or with `wait`, it waits only for a process that writes the index, at
    most `wait` seconds (default: `LOCK_WAIT`). Raises `IndexUnavailableError`, `StoreError`, and
    `KeyboardInterrupt` if asked to stop while waiting.
    """
    if progress is None:
        progress, wait = Progress(), LOCK_WAIT if wait is None else wait
    last = None
    try:
        if allow_stale:
            if (index := _current(path, source)) is not None:
                return index, False
            last = _last_state(path, source)
            wait = 0 if last else wait
        path.parent.mkdir(parents=True, exist_ok=True)
        if allow_stale:
            with _held(source_lock(whole or path), path, progress, patient=wait is None):
                pass  # Raises Timeout if another process holds the lock.
        lock = write_lock(path, MOMENT if wait is None else wait)
        with _held(lock, path, progress, patient=wait is None):
            if not rebuild:
                updated = _updated(path, source, progress, thorough=not allow_stale)
                if updated is not None:
                    return updated, False
            return _rebuilt(path, source, resume=not rebuild), True
    except Timeout as error:
        last = last or (_last_state(path, source) if allow_stale else None)
        if last is None:
            raise busy(path) from error
        progress.notice(f"{path}: another process is updating the index; searching its last saved state")
    except OSError as error:
        reason = reason_of(error)
        if last is None:
            raise IndexUnavailableError(
                f"{path}: the index cannot be written: {reason}; give another --index"
            ) from error
        # The files of a copy on a read-only disk have other times than in the manifest.
        if not source.is_current(last):
            progress.notice(f"{path}: the index cannot be updated ({reason}); searching its last saved state")
    return last, False


def _held(lock: FileLock, path: Path, progress: Progress, *, patient: bool) -> AbstractContextManager[object]:
    """Acquire a lock of the index in `path`. If `patient`, wait until `progress` is stopping."""
    try:
        return lock.acquire()
    except Timeout:
        if not patient:
            raise
    progress.notice(f"{path}: another process is writing the index; waiting for it")
    while True:
        check_stopping(progress)
        with suppress(Timeout):
            return lock.acquire(timeout=MOMENT)


def is_begun(path: Path) -> bool:
    """Return whether the index in the directory `path` was built, if only in part."""
    return path.exists() or _new(path).exists()


def progress_of(progress: Progress, units: int) -> Progress:
    """Return `progress`, or one that shows nothing if there are few `units` (puzzles or games) of work."""
    return progress if units >= WORTH_A_BAR else Progress()


def check_stopping(progress: Progress) -> None:
    """Raise `KeyboardInterrupt` if the work is to stop; finished work is kept."""
    if progress.stopping:
        raise KeyboardInterrupt


def _current(path: Path, source: Source) -> Index | None:
    """Open the index if it is up to date and seems undamaged, else return None. Raises `OSError`."""
    # Either the index is damaged, or a writer has just removed files: only the holder of the lock can tell.
    with suppress(IndexDamagedError):
        if origin_in(path) == source.origin and is_unchanged(path):
            index = open_index(path)
            if deleted_share(path) <= source.max_deleted and source.is_current(index):
                return index
    return None


def _last_state(path: Path, source: Source) -> Index | None:
    """Open the index as it was last saved, or else its unfinished replacement if this is not empty."""
    for place in (path, _new(path)):
        with suppress(IndexDamagedError, OSError):
            if origin_in(place) == source.origin:
                if (place / MANIFEST_FILE).exists():
                    check_files(place, thorough=False)
                index = open_index(place)
                if index.count:
                    return index
    return None


def _updated(path: Path, source: Source, progress: Progress, *, thorough: bool) -> Index | None:
    """Bring the index up to date in place; return None if it must be rebuilt. The caller holds the lock."""
    try:
        if origin_in(path) != source.origin:
            return None
        check_files(path, thorough=thorough)
        index = open_index(path)
        if index.schema != source.schema:
            raise damaged(TANTIVY_FILE)
        if not source.is_current(index):
            remove_manifest(path)
            try:
                source.update(index)
            except IndexUnavailableError:
                # Damage makes writing fail in many ways.
                check_files(path, thorough=True)
                raise
        if not is_unchanged(path):
            write_manifest(path)
        return index if deleted_share(path) <= source.max_deleted else None
    except IndexDamagedError as error:
        progress.notice(f"{path}: {error}; rebuilding it")
        return None


def _rebuilt(path: Path, source: Source, *, resume: bool) -> Index:
    """Build a new index, and replace the old one. An interrupted rebuild is resumed if `resume`.

    The caller holds the lock.
    """
    if not is_replaceable(path):
        raise IndexUnavailableError(
            f"{path}: not a search index, so it is left alone; move it away, or give another --index"
        )
    new, old = _new(path), path.with_name(f"{path.name}.old")
    index = _unfinished(new, source) if resume else None
    if index is None:
        shutil.rmtree(new, ignore_errors=True)
        index = create(new, source.origin, source.schema)
    try:
        source.update(index)
    except IndexDamagedError:
        # The next attempt must not resume a failed rebuild.
        shutil.rmtree(new, ignore_errors=True)
        raise
    write_manifest(new)
    # Windows renames no folder with open files.
    del index
    shutil.rmtree(old, ignore_errors=True)
    try:
        if path.exists():
            rename(path, old)
        rename(new, path)
    except PermissionError:
        # The old index is open: a later start renames the new one.
        return open_index(new)
    shutil.rmtree(old, ignore_errors=True)
    return open_index(path)


def _unfinished(new: Path, source: Source) -> Index | None:
    """Open the index that an interrupted rebuild has left, or return None if it is missing or damaged."""
    with suppress(IndexDamagedError):
        if origin_in(new) == source.origin:
            check_files(new, thorough=False)
            return open_index(new)
    return None


def _new(path: Path) -> Path:
    """Return the directory in which the index in `path` is rebuilt."""
    return path.with_name(f"{path.name}.new")
