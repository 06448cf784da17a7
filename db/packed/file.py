"""A packed file: writing positions in any order, and reading one position, all of a material, or all.

The file has a header, the blocks, and an index of the blocks. The header has the format's version, a digest
of the models that wrote the positions, the number of positions and verdicts, the place of the index, and
checksums of header and index. The index has for each block the lowest sort key, the number of positions, the
number of bytes of positions and of verdicts, and a checksum. The blocks are in the order of their keys.
"""

from __future__ import annotations

import mmap
import sqlite3
import struct
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import accumulate, groupby
from operator import itemgetter
from pathlib import Path
from typing import BinaryIO, NamedTuple

import chess
import numpy as np

from chess_motif.errors import PackedFileError, StoreError, reason_of
from chess_motif.output import replacing
from chess_motif.parallel import chunks_of, in_processes
from chess_motif.progress import Progress
from chess_motif.text import counted
from db.packed.block import read_block, write_block
from db.packed.models import load_models
from db.packed.position import (
    KEY_BYTES,
    MATERIAL_BYTES,
    Identity,
    after_captures,
    identity,
    material_key,
    pack_simply,
    sort_key,
    unpack_simply,
)
from db.packed.verdicts import PackedEntry, Verdict, compress, decompress, read_verdicts, write_verdicts

MAGIC = b"chesspos"
VERSION = 1

# Positions of a block. Larger blocks take fewer bits a position, and more time to find a position.
BLOCK_POSITIONS = 128

# The most positions of a block that can be read.
MOST_POSITIONS = 1024

_HEADER = struct.Struct("<8sH8sQQIQII")
_CHECKSUM = struct.Struct("<I")
HEADER_BYTES = _HEADER.size + _CHECKSUM.size

# The type of the numbers that the index has for each block besides its key.
_NUMBERS = np.dtype("<u4")

# Blocks that are kept in memory: some 30,000 positions, 30 MB.
BLOCKS_KEPT = 256

# A position to be written: its sort key followed by its simple code, and the verdicts.
Sorted = tuple[bytes, list[Verdict]]


class PackedFile:
    """An open packed file. Close it, or use it in a `with` statement."""

    def __init__(self, path: Path) -> None:
        """Open the file at `path`. Raises `PackedFileError`."""
        self.path = path
        try:
            with path.open("rb") as file:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise PackedFileError(f"{path}: cannot be read: {reason_of(error)}") from error
        except ValueError as error:
            raise PackedFileError(f"{path}: is empty") from error
        try:
            self.header = read_header(self._data[:HEADER_BYTES], len(self._data))
            self.slots = read_index(self._data[self.header.index_at :], self.header)
            if self.header.models != load_models().digest:
                raise PackedFileError("was written with other models, by another version of this program")
        except PackedFileError as error:
            self.close()
            raise PackedFileError(f"{path}: {error}") from error
        self._keys = [slot.key for slot in self.slots]
        self._kept = lru_cache(BLOCKS_KEPT)(self._read)

    def get(self, board: chess.Board) -> PackedEntry | None:
        """Return a position of the file, None if the file does not have it. Raises `PackedFileError`."""
        key, wanted = sort_key(board), identity(board)
        for number in self._blocks(key, key):
            entry = self._kept(number).get(wanted)
            if entry is not None:
                return entry
        return None

    def near(self, board: chess.Board, captures: int = 0) -> Iterator[PackedEntry]:
        """Yield the positions with the material of `board`, also after up to `captures` captures.

        Positions with the most material come first. Raises `PackedFileError`.
        """
        for material in after_captures(material_key(board), captures):
            # All sort keys of the material are between these two.
            for number in self._blocks(material, material + b"\xff"):
                for entry in self._kept(number).values():
                    if material_key(entry.board) == material:
                        yield entry

    def entries(self, damaged: Callable[[str], None] | None = None) -> Iterator[PackedEntry]:
        """Yield all positions of the file, block by block.

        Damaged blocks are reported to `damaged` and left out. Without `damaged`, raises `PackedFileError`.
        """
        for number in range(len(self.slots)):
            try:
                block = self._read(number)
            except PackedFileError as error:
                if damaged is None:
                    raise
                damaged(str(error))
                continue
            yield from block.values()

    def damage(self) -> list[str]:
        """Return a line for each damaged block. Reads the whole file, but decodes nothing."""
        return [self._loss(slot) for slot in self.slots if not self._is_whole(slot)]

    def boards(self, slot: Slot) -> list[chess.Board]:
        """Return the positions of a block without their verdicts. Raises `StoreError` for a damaged block."""
        written = self._data[slot.at : slot.at + slot.position_bytes]
        return read_block(written, slot.key[:MATERIAL_BYTES], slot.number, load_models())

    def verdicts(self, slot: Slot) -> list[list[Verdict]]:
        """Return the verdicts on each position of a block. Raises `StoreError` for a damaged block."""
        return read_verdicts(self._data[slot.at + slot.position_bytes : slot.end], slot.number)

    def _blocks(self, lowest: bytes, highest: bytes) -> Iterable[int]:
        """Return the numbers of the blocks that may have sort keys between these."""
        first = max(bisect_left(self._keys, lowest) - 1, 0)
        return range(first, bisect_right(self._keys, highest))

    def _read(self, number: int) -> dict[Identity, PackedEntry]:
        """Return the positions of a block."""
        slot = self.slots[number]
        if not self._is_whole(slot):
            raise PackedFileError(self._loss(slot))
        try:
            pairs = zip(self.boards(slot), self.verdicts(slot), strict=True)
            return {identity(board): PackedEntry(board, verdicts) for board, verdicts in pairs}
        except StoreError as error:
            raise PackedFileError(self._loss(slot)) from error

    def _is_whole(self, slot: Slot) -> bool:
        return zlib.crc32(self._data[slot.at : slot.end]) == slot.checksum

    def _loss(self, slot: Slot) -> str:
        lost = counted(slot.number, "position")
        return f"{self.path}: damaged at bytes {slot.at:,} to {slot.end:,}, where {lost} were"

    def close(self) -> None:
        """Close the file."""
        self._data.close()

    def __enter__(self) -> PackedFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def write_packed(
    path: Path, entries: Iterable[PackedEntry], progress: Progress | None = None, workers: int | None = None
) -> Header:
    """Write different positions, each with its verdicts, as a packed file. Return its header.

    If a position occurs again, its new verdicts are added. The file appears when it is complete.
    Raises `PackedFileError` if it cannot be written, and what `entries` raises.
    """
    progress = progress or Progress()
    try:
        # SQLite can sort more than fits into memory. A database without a name is a temporary file.
        with closing(sqlite3.connect("")) as sorter, replacing(path) as out:
            _sort(sorter, entries)
            (total,) = sorter.execute("SELECT COUNT(DISTINCT place) FROM entries").fetchone()
            return _write(out, _sorted(sorter), total, progress, workers)
    except OSError as error:
        raise PackedFileError(f"{path}: cannot be written: {reason_of(error)}") from error
    except (sqlite3.Error, OverflowError) as error:
        raise PackedFileError(f"{path}: cannot be written: {error}, while sorting") from error


def _sort(sorter: sqlite3.Connection, entries: Iterable[PackedEntry]) -> None:
    """Store the verdicts of all positions, and one row without a verdict for each position."""
    sorter.execute("CREATE TABLE entries (place, clock, settings, nodes, lines, depth, found)")
    sorter.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", _rows(entries))


def _rows(entries: Iterable[PackedEntry]) -> Iterator[tuple[object, ...]]:
    for entry in entries:
        place = sort_key(entry.board) + pack_simply(entry.board)
        yield (place, *[None] * len(Verdict._fields))
        for verdict in entry.verdicts:
            yield (place, *verdict)


def _sorted(sorter: sqlite3.Connection) -> Iterator[Sorted]:
    """Yield the positions in order, each with its verdicts, only one of each search."""
    rows = sorter.execute(
        "SELECT DISTINCT * FROM entries ORDER BY place, clock, settings, nodes, lines, depth"
    )
    for place, group in groupby(rows, itemgetter(0)):
        verdicts = [Verdict(*row[1:]) for row in group if row[1] is not None]
        yield place, [next(same) for _, same in groupby(verdicts, itemgetter(slice(-1)))]


def _write(
    out: BinaryIO, positions: Iterator[Sorted], total: int, progress: Progress, workers: int | None
) -> Header:
    out.write(bytes(HEADER_BYTES))
    slots: list[Slot] = []
    done = verdicts = 0
    with closing(in_processes(_block, chunks_of(positions, BLOCK_POSITIONS), workers)) as blocks:
        for slot, written, number in blocks:
            out.write(written)
            slots.append(slot)
            done, verdicts = done + slot.number, verdicts + number
            progress.update("positions", done, total, "position")
    index_at = out.tell()
    index = write_index(slots)
    out.write(index)
    digest = load_models().digest
    header = Header(digest, done, verdicts, len(slots), index_at, len(index), zlib.crc32(index))
    out.seek(0)
    out.write(header.written())
    return header


def _block(positions: list[Sorted]) -> tuple[Slot, bytes, int]:
    """Return a block of positions in order: its slot, its bytes, and how many verdicts it has."""
    boards = [unpack_simply(place[KEY_BYTES:]) for place, _ in positions]
    block = write_block(boards, load_models())
    verdicts = [positions[number][1] for number in block.order]
    about = write_verdicts(verdicts)
    written = block.written + about
    slot = Slot(positions[0][0][:KEY_BYTES], len(boards), len(block.written), len(about), zlib.crc32(written))
    return slot, written, sum(map(len, verdicts))


class Header(NamedTuple):
    """The counts of a file, and the place of its index. `models` is the digest of the models."""

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
    """A block in the index: its place in the file, and its size.

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
        """The byte after the block."""
        return self.at + self.position_bytes + self.verdict_bytes


def read_header(data: bytes, size: int) -> Header:
    """Return the header at the beginning of a file of `size` bytes.

    Raises `PackedFileError` if there is no header, or one of another version or of another size of file.
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
    # Columns compress better than rows, also the columns of the single bytes of the numbers.
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
    counts = numbers[:, 0]
    if places[-1] != header.index_at or ((counts < 1) | (counts > MOST_POSITIONS)).any():
        raise PackedFileError(f"damaged in its index {place}")
    return [
        Slot(key.tobytes(), number, of_positions, of_verdicts, checksum, at)
        for key, (number, of_positions, of_verdicts, checksum), at in zip(
            keys, numbers.tolist(), places, strict=False
        )
    ]
