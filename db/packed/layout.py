"""The layout of a packed file: a header, the blocks, and an index of the blocks.

The header has the format's version, a digest of the models that wrote the positions, how much is in the
file and where the index is, with a checksum of each of the two. The index has, for each block, its lowest
sort key, its number of positions, the bytes of its positions and of its verdicts, and a checksum of both.
Blocks follow one another in the order of their keys.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from chess_motif.errors import PackedFileError, StoreError
from chess_motif.text import counted
from db.packed.sorting import KEY_BYTES
from db.packed.verdicts import compress, decompress

MAGIC = b"chesspos"
VERSION = 1

# Positions of a block. More take fewer bits a position and more time to find one.
BLOCK_POSITIONS = 128

# Positions that a block may have. Other numbers than the one above can be read.
MOST_POSITIONS = 1024

_HEADER = struct.Struct("<8sH8sQQIQII")
_CHECKSUM = struct.Struct("<I")
HEADER_BYTES = _HEADER.size + _CHECKSUM.size

# What the index has for each block besides its key.
_NUMBERS = np.dtype("<u4")


class Header(NamedTuple):
    """What a file has, and where its index is. `models` is the digest of the models that wrote it."""

    models: bytes
    positions: int
    verdicts: int
    blocks: int
    index_at: int
    index_bytes: int
    index_checksum: int

    def written(self) -> bytes:
        """Return the header as `HEADER_BYTES` bytes."""
        header = _HEADER.pack(MAGIC, VERSION, *self)
        return header + _CHECKSUM.pack(zlib.crc32(header))


class Slot(NamedTuple):
    """A block in the index: where it is in the file, and what it has.

    `key` is the lowest sort key of its `number` positions. The verdicts follow the positions.
    """

    key: bytes
    number: int
    position_bytes: int
    verdict_bytes: int
    checksum: int
    at: int = 0

    @property
    def end(self) -> int:
        """The place after the block."""
        return self.at + self.position_bytes + self.verdict_bytes


def read_header(data: bytes, size: int) -> Header:
    """Return the header at the beginning of a file of `size` bytes.

    Raises `PackedFileError` if it is none, of another version, or that of a longer or shorter file.
    """
    if data[: len(MAGIC)] != MAGIC:
        raise PackedFileError("not a file of packed positions")
    if len(data) < HEADER_BYTES:
        raise PackedFileError(f"cut off after {len(data)} bytes, in its header")
    _, version, *fields = _HEADER.unpack_from(data)
    if version != VERSION:
        raise PackedFileError(f"has version {version} of the format, and this program reads {VERSION}")
    if _CHECKSUM.unpack_from(data, _HEADER.size)[0] != zlib.crc32(data[: _HEADER.size]):
        raise PackedFileError(f"damaged in its header (bytes 0 to {HEADER_BYTES})")
    header = Header(*fields)
    end = header.index_at + header.index_bytes
    if size != end:
        cut = f"cut off after {size:,} of {end:,} bytes"
        raise PackedFileError(cut if size < end else f"has {counted(size - end, 'byte')} too many")
    return header


def write_index(slots: Sequence[Slot]) -> bytes:
    """Return the index of blocks in the order of their keys."""
    keys = np.frombuffer(b"".join(slot.key for slot in slots), np.uint8).reshape(-1, KEY_BYTES)
    numbers = np.array([slot[1:5] for slot in slots], _NUMBERS).reshape(-1, 4)
    # Columns compress better than rows, and the bytes of numbers better one by one.
    columns = keys.T.tobytes() + numbers.view(np.uint8).reshape(len(slots), -1).T.tobytes()
    return compress(columns)


def read_index(data: bytes, header: Header) -> list[Slot]:
    """Return the blocks of a file. Raises `PackedFileError` if the index is damaged."""
    place = f"(bytes {header.index_at:,} to {header.index_at + header.index_bytes:,})"
    if zlib.crc32(data) != header.index_checksum:
        raise PackedFileError(f"damaged in its index {place}")
    width = KEY_BYTES + 4 * _NUMBERS.itemsize
    try:
        text = decompress(data, width * header.blocks)
        rows = np.frombuffer(text, np.uint8).reshape(width, header.blocks).T
    except (StoreError, ValueError) as error:
        raise PackedFileError(f"damaged in its index {place}") from error
    keys = np.ascontiguousarray(rows[:, :KEY_BYTES])
    numbers = np.ascontiguousarray(rows[:, KEY_BYTES:]).view(_NUMBERS).astype(np.int64)
    places = list(accumulate((numbers[:, 1] + numbers[:, 2]).tolist(), initial=HEADER_BYTES))
    if places[-1] != header.index_at or numbers[:, 0].max(initial=0) > MOST_POSITIONS:
        raise PackedFileError(f"damaged in its index {place}")
    return [
        Slot(key.tobytes(), number, of_positions, of_verdicts, checksum, at)
        for key, (number, of_positions, of_verdicts, checksum), at in zip(
            keys, numbers.tolist(), places, strict=False
        )
    ]
