"""Keeping an index in sync with the database: it is updated in place, or rebuilt.

An index that is damaged, or was built from another database or by another version, is rebuilt beside the old
one, which it replaces when it is complete. Only one process writes at a time; until it has finished, searches
see the index as it was.

Noticing damage to the files of an index.

Tantivy ends every file of a segment with a checksum, and never changes it afterwards. While nobody writes an
index it has a seal: a small file with the checksum of Tantivy's list of segments, and the size and the time
of change of each of their files, which are compared without reading them. Only files that differ are read. An
index without a seal (its writer is at work, or was killed) is read as a whole.
"""

from __future__ import annotations

import json
import shutil
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol, TypedDict
from uuid import UUID

import tantivy
from filelock import Timeout

from chess_motif.errors import IndexDamagedError, IndexUnavailableError, reason_of
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

SEAL_FILE = "seal.json"

# A segment has a file of each kind.
KINDS = ("fast", "fieldnorm", "idx", "pos", "store", "term")

# A segment's file ends with a footer in JSON, the length of the footer, and a mark.
_END = struct.Struct("<II")
_MARK = 1337

# Bytes read at a time.
_BLOCK = 1 << 20


class _State(TypedDict):
    """The checksum of Tantivy's list of segments; size (bytes) and time (ns) of each file of a segment."""

    meta: int
    files: dict[str, list[int]]


def seal(path: Path) -> None:
    """Seal the index in the directory `path`, to which nobody is writing.

    Raises `OSError`, `IndexDamagedError`.
    """
    new = path / f"{SEAL_FILE}.new"
    new.write_text(json.dumps(_state(path)), encoding="utf-8")
    new.replace(path / SEAL_FILE)


def unseal(path: Path) -> None:
    """Remove the seal of an index that is about to be written. Raises `OSError`."""
    (path / SEAL_FILE).unlink(missing_ok=True)


def is_sealed(path: Path) -> bool:
    """Return whether the index in `path` has a seal."""
    return (path / SEAL_FILE).exists()


def is_unchanged(path: Path) -> bool:
    """Return whether the index in `path` is sealed, and seems to be as it was then. Raises `OSError`."""
    try:
        return _sealed_state(path) == _state(path)
    except IndexDamagedError:
        return False


def check_files(path: Path, *, thorough: bool) -> None:
    """Check that no file of the index in `path` is damaged or missing.

    Files whose size and time have not changed are read only if `thorough`. Raises `IndexDamagedError`, and
    `OSError` if a file cannot be read.
    """
    state, sealed = _state(path), _sealed_state(path)
    if sealed is not None and sealed["meta"] != state["meta"]:
        raise damaged(TANTIVY_FILE)
    for name, status in state["files"].items():
        unchanged = sealed is not None and sealed["files"].get(name) == status
        if (thorough or not unchanged) and not _matches_footer(path / name):
            raise damaged(name)


def _state(path: Path) -> _State:
    """Return the contents of a seal for the files as they are now. Raises `OSError`, `IndexDamagedError`."""
    name = TANTIVY_FILE
    files = {}
    try:
        meta = (path / TANTIVY_FILE).read_bytes()
        for name in _segment_files(meta):
            status = (path / name).stat()
            files[name] = [status.st_size, status.st_mtime_ns]
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged(name) from error
    return {"meta": zlib.crc32(meta), "files": files}


def _sealed_state(path: Path) -> _State | None:
    """Return the contents of the seal, None without a seal that can be read. Raises `OSError`."""
    try:
        sealed = json.loads((path / SEAL_FILE).read_bytes())
        return {"meta": int(sealed["meta"]), "files": dict(sealed["files"])}
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def _segment_files(meta: bytes) -> Iterator[str]:
    """Yield the names of the files of all segments, which are listed in `meta`."""
    for segment in json.loads(meta)["segments"]:
        name = UUID(segment["segment_id"]).hex
        yield from (f"{name}.{kind}" for kind in KINDS)
        if segment["deletes"]:
            yield f"{name}.{segment['deletes']['opstamp']}.del"


def _matches_footer(file: Path) -> bool:
    """Return whether the contents of a segment's file have the checksum in its footer. Raises `OSError`."""
    with file.open("rb") as stream:
        left = file.stat().st_size - _END.size
        if left < 0:
            return False
        stream.seek(left)
        length, mark = _END.unpack(stream.read(_END.size))
        left -= length
        if mark != _MARK or left < 0:
            return False
        stream.seek(left)
        try:
            expected = json.loads(stream.read(length))["crc"]
        except (ValueError, KeyError, TypeError):
            return False
        stream.seek(0)
        checksum = 0
        while left and (block := stream.read(min(left, _BLOCK))):
            checksum = zlib.crc32(block, checksum)
            left -= len(block)
    return left == 0 and bool(checksum == expected)


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

    A damaged index is rebuilt, with a notice; with `rebuild`, it is rebuilt in any case. All files are
    checked for damage; with `allow_stale`, only those that have changed since the last check. With
    `allow_stale`, the last saved state is opened, with a notice, while another process writes the index or
    stores more of what it is built from. Raises `IndexUnavailableError`, `StoreError`.
    """
    last = None
    try:
        if allow_stale:
            if (index := _current(path, source)) is not None:
                return index
            last = _last_state(path, source)
        path.parent.mkdir(parents=True, exist_ok=True)
        if allow_stale:
            with source_lock(path):
                pass  # Nobody else has it, or it raises Timeout.
        with write_lock(path, LOCK_WAIT if last is None else 0):
            return _synced(path, source, progress, rebuild=rebuild, thorough=not allow_stale)
    except Timeout as error:
        last = last or (_last_state(path, source) if allow_stale else None)
        if last is None:
            raise busy(path) from error
        progress.notice(f"{path}: another process is updating the index; searching its last saved state")
    except OSError as error:
        reason = reason_of(error)
        if last is None:
            raise IndexUnavailableError(f"{path}: the index cannot be written: {reason}") from error
        progress.notice(f"{path}: the index cannot be updated ({reason}); searching its last saved state")
    return last


def progress_of(progress: Progress, units: int) -> Progress:
    """Return `progress`, or one that shows nothing if there are few `units` (puzzles or games) of work."""
    return progress if units >= WORTH_A_BAR else Progress()


def _current(path: Path, source: Source) -> Index | None:
    """Open the index if it is up to date and seems undamaged, else return None. Raises `OSError`."""
    try:
        if origin_in(path) == source.origin and is_unchanged(path):
            index = open_index(path)
            if deleted_share(path) <= source.max_deleted and source.is_current(index):
                return index
    except IndexDamagedError:
        pass  # Or a writer has just removed files: only who has the lock can tell.
    return None


def _last_state(path: Path, source: Source) -> Index | None:
    """Open the index as it was last saved, or else the one that is to replace it, unless it is empty."""
    for place in (path, _new(path)):
        try:
            if origin_in(place) == source.origin:
                if is_sealed(place):
                    check_files(place, thorough=False)
                index = open_index(place)
                if index.count:
                    return index
        except (IndexDamagedError, OSError):
            continue
    return None


def _synced(path: Path, source: Source, progress: Progress, *, rebuild: bool, thorough: bool) -> Index:
    """Bring the index up to date, or rebuild it. The caller holds the lock."""
    index = None if rebuild else _updated(path, source, progress, thorough)
    if index is not None:
        return index
    if not is_replaceable(path):
        raise IndexUnavailableError(
            f"{path}: not a search index, so it is left alone; move it away, or give another --index"
        )
    return _rebuilt(path, source, resume=not rebuild)


def _updated(path: Path, source: Source, progress: Progress, thorough: bool) -> Index | None:
    """Bring the index up to date in place; return None if it must be rebuilt."""
    try:
        if origin_in(path) != source.origin:
            return None
        check_files(path, thorough=thorough)
        index = open_index(path)
        if index.schema != source.schema:
            raise damaged(TANTIVY_FILE)
        if not source.is_current(index):
            unseal(path)
            try:
                source.sync(index)
            except IndexUnavailableError:
                # Damage makes writing fail in many ways.
                check_files(path, thorough=True)
                raise
        if not is_unchanged(path):
            seal(path)
        return index if deleted_share(path) <= source.max_deleted else None
    except IndexDamagedError as error:
        progress.notice(f"{path}: {error}; rebuilding it")
        return None


def _rebuilt(path: Path, source: Source, *, resume: bool) -> Index:
    """Build the index beside the old one, and replace that. An interrupted rebuild is resumed if `resume`."""
    source.on_rebuild()
    new, old = _new(path), path.with_name(f"{path.name}.old")
    index = _unfinished(new, source) if resume else None
    if index is None:
        shutil.rmtree(new, ignore_errors=True)
        index = create(new, source.origin, source.schema)
    try:
        source.sync(index)
    except IndexDamagedError:
        # So that the next attempt does not resume it.
        shutil.rmtree(new, ignore_errors=True)
        raise
    seal(new)
    shutil.rmtree(old, ignore_errors=True)
    if path.exists():
        path.rename(old)
    new.rename(path)
    shutil.rmtree(old, ignore_errors=True)
    return open_index(path)


def _unfinished(new: Path, source: Source) -> Index | None:
    try:
        if origin_in(new) == source.origin:
            check_files(new, thorough=False)
            return open_index(new)
    except IndexDamagedError:
        pass
    return None


def _new(path: Path) -> Path:
    """Return the directory in which the index in `path` is rebuilt."""
    return path.with_name(f"{path.name}.new")
