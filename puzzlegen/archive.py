"""Game archives as streams of text bytes: plain, Zstandard, gzip or bzip2; a file or standard input.

Memory stays flat however large the archive is. Damage is an `ArchiveError`, raised only after
everything before it was handed out.
"""

from __future__ import annotations

import bz2
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from chess_motif.errors import ArchiveError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

STANDARD_INPUT = "-"

# Bytes of text handed out at a time.
CHUNK = 1 << 18

_ZSTD_FRAME = b"\x28\xb5\x2f\xfd"
_GZIP = b"\x1f\x8b"
_BZIP2 = b"BZh"


@dataclass
class Archive:
    """An open archive. `name` is what the user called it, `size` its bytes on disk if known."""

    name: str
    size: int | None
    _raw: io.BufferedReader = field(repr=False)
    _text_read: int = 0
    _text_done: int = 0

    def chunks(self) -> Iterator[bytes]:
        """Yield the decompressed text. Raises `ArchiveError` where it is damaged or cut off."""
        text = _decompressor(self._raw)
        self._text_read = 0
        while True:
            try:
                chunk = text.read1(CHUNK)
            except EOFError as error:
                raise ArchiveError(
                    f"{self.name}: cut off after byte {self._text_read} of its text"
                ) from error
            except (zstd.ZstdError, zlib.error, OSError) as error:
                place = f"damaged after byte {self._text_read} of its text"
                raise ArchiveError(f"{self.name}: {place} ({error})") from error
            if not chunk:
                return
            self._text_read += len(chunk)
            yield chunk

    def consumed(self) -> int:
        """Return how many bytes of the file have been read so far."""
        return self._raw.tell() if self._raw.seekable() else 0

    def finish_text(self, end: int) -> None:
        """Take note that nothing is left to do for the text before byte `end`."""
        self._text_done = end

    def finished(self) -> int:
        """Return about how many bytes of the file nothing is left to do for."""
        return self.consumed() * self._text_done // max(1, self._text_read)

    def rewind(self) -> None:
        """Go back to the beginning. Raises `ArchiveError` where that cannot be done."""
        if not self._raw.seekable():
            raise ArchiveError(f"{self.name}: is not what was mined before; add --restart")
        self._raw.seek(0)

    def close(self) -> None:
        """Close the file."""
        self._raw.close()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_archive(name: str) -> Archive:
    """Open the archive at path `name`, or standard input for `-`. Raises `ArchiveError`.

    Its kind is told by its first bytes, not by its name.
    """
    if name == STANDARD_INPUT:
        return Archive("standard input", None, cast(io.BufferedReader, sys.stdin.buffer))
    path = Path(name)
    try:
        if path.is_dir():
            raise ArchiveError(f"{name}: is a folder; name the game files in it")
        return Archive(name, path.stat().st_size, path.open("rb"))
    except OSError as error:
        raise ArchiveError(f"{name}: {(error.strerror or str(error)).lower()}") from error


def _decompressor(raw: io.BufferedReader) -> io.BufferedReader:
    start = raw.peek(4)[:4]
    opener: Callable[[BinaryIO], object] | None = None
    # Skippable frames, which some tools put first, have sixteen numbers of their own.
    if start == _ZSTD_FRAME or (start[1:] == b"\x2a\x4d\x18" and 0x50 <= start[0] <= 0x5F):
        opener = zstd.open
    elif start.startswith(_GZIP):
        opener = gzip.open
    elif start.startswith(_BZIP2):
        opener = bz2.open
    return cast(io.BufferedReader, opener(raw)) if opener else raw
