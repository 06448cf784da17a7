"""Noticing damage to the files of an index.

Tantivy ends every file of a segment with a checksum, and never changes the file afterwards. While no process
writes an index, the index has a manifest: a small file with the checksum of Tantivy's list of segments, and
the size and the time of change of each file of a segment. Only files that differ from the manifest are read.
An index without a manifest (a process is writing it, or was killed) is read as a whole.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict
from uuid import UUID

from chess_motif.errors import IndexDamagedError
from chess_motif.output import rename
from motifsearch.index.directory import TANTIVY_FILE, damaged

MANIFEST_FILE = "manifest.json"

# The kinds of files of a segment.
KINDS = ("fast", "fieldnorm", "idx", "pos", "store", "term")

# A segment's file ends with a footer in JSON, the length of the footer, and a mark.
_END = struct.Struct("<II")
_MARK = 1337

# Bytes read at a time.
_BLOCK = 1 << 20


class _Manifest(TypedDict):
    """The checksum of Tantivy's list of segments; size (bytes) and time (ns) of each file of a segment."""

    meta: int
    files: dict[str, list[int]]


def write_manifest(path: Path) -> None:
    """Write the manifest of the index in the directory `path`, which no process may be writing.

    Raises `OSError`, `IndexDamagedError`.
    """
    new = path / f"{MANIFEST_FILE}.new"
    new.write_text(json.dumps(_manifest_now(path)), encoding="utf-8")
    rename(new, path / MANIFEST_FILE)


def remove_manifest(path: Path) -> None:
    """Remove the manifest of an index that is about to be written. Raises `OSError`."""
    (path / MANIFEST_FILE).unlink(missing_ok=True)


def is_unchanged(path: Path) -> bool:
    """Return whether the files of the index in `path` seem to match its manifest. Raises `OSError`."""
    try:
        return _manifest_written(path) == _manifest_now(path)
    except IndexDamagedError:
        return False


def check_files(path: Path, *, thorough: bool) -> None:
    """Check that no file of the index in `path` is damaged or missing.

    Files that match the manifest are read only if `thorough`. Raises `IndexDamagedError`, and `OSError` if a
    file cannot be read.
    """
    now, written = _manifest_now(path), _manifest_written(path)
    if written is not None and written["meta"] != now["meta"]:
        raise damaged(TANTIVY_FILE)
    for name, status in now["files"].items():
        unchanged = written is not None and written["files"].get(name) == status
        if (thorough or not unchanged) and not _matches_footer(path / name):
            raise damaged(name)


def _manifest_now(path: Path) -> _Manifest:
    """Return the manifest of the files as they are now. Raises `OSError`, `IndexDamagedError`."""
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


def _manifest_written(path: Path) -> _Manifest | None:
    """Return the manifest in the directory, or None if it is missing or unreadable. Raises `OSError`."""
    try:
        written = json.loads((path / MANIFEST_FILE).read_bytes())
        return {"meta": int(written["meta"]), "files": dict(written["files"])}
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
