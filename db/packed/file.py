"""Reading a packed file: one position, all of a material, or everything."""

from __future__ import annotations

import mmap
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from types import TracebackType

import chess

from chess_motif.errors import PackedFileError, StoreError, reason_of
from chess_motif.text import counted
from db.packed.block import read_block
from db.packed.layout import HEADER_BYTES, Slot, read_header, read_index
from db.packed.models import load_models
from db.packed.position import Identity, identity
from db.packed.sorting import MATERIAL_BYTES, after_captures, material_key, sort_key
from db.packed.verdicts import Entry, Verdict, read_verdicts

# Blocks that are kept after they were read: some 30,000 positions, 30 MB.
BLOCKS_KEPT = 256


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

    def get(self, board: chess.Board) -> Entry | None:
        """Return a position of the file, None if it is not there. Raises `PackedFileError`."""
        key, wanted = sort_key(board), identity(board)
        for number in self._blocks(key, key):
            entry = self._kept(number).get(wanted)
            if entry is not None:
                return entry
        return None

    def near(self, board: chess.Board, captures: int = 0) -> Iterator[Entry]:
        """Yield the positions with the material of `board`, and with what up to `captures` captures leave.

        Those with the most material come first. Raises `PackedFileError`.
        """
        for material in after_captures(material_key(board), captures):
            # Between these two are all sort keys of the material.
            for number in self._blocks(material, material + b"\xff"):
                for entry in self._kept(number).values():
                    if material_key(entry.board) == material:
                        yield entry

    def entries(self, damaged: Callable[[str], None] | None = None) -> Iterator[Entry]:
        """Yield all positions of the file, block by block.

        A block that is damaged is reported to `damaged` and left out; without that, raises `PackedFileError`.
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
        """Return a line for each block that is damaged. Reads the whole file, but decodes nothing."""
        return [self._loss(slot) for slot in self.slots if not self._is_whole(slot)]

    def boards(self, slot: Slot) -> list[chess.Board]:
        """Return the positions of a block without their verdicts. Raises `StoreError` if it is damaged."""
        written = self._data[slot.at : slot.at + slot.position_bytes]
        return read_block(written, slot.key[:MATERIAL_BYTES], slot.number, load_models())

    def verdicts(self, slot: Slot) -> list[list[Verdict]]:
        """Return the verdicts on each position of a block. Raises `StoreError` if it is damaged."""
        return read_verdicts(self._data[slot.at + slot.position_bytes : slot.end], slot.number)

    def _blocks(self, lowest: bytes, highest: bytes) -> Iterable[int]:
        """Return the numbers of the blocks that may have sort keys between these."""
        first = max(bisect_left(self._keys, lowest) - 1, 0)
        return range(first, bisect_right(self._keys, highest))

    def _read(self, number: int) -> dict[Identity, Entry]:
        """Return the positions of a block."""
        slot = self.slots[number]
        if not self._is_whole(slot):
            raise PackedFileError(self._loss(slot))
        try:
            pairs = zip(self.boards(slot), self.verdicts(slot), strict=True)
            return {identity(board): Entry(board, verdicts) for board, verdicts in pairs}
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
