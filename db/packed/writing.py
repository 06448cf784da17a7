"""Writing a packed file from positions in any order, in little memory."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import BinaryIO

from chess_motif.errors import PackedFileError, reason_of
from chess_motif.output import replacing
from chess_motif.parallel import chunks_of, in_processes
from chess_motif.progress import Progress
from db.packed.block import write_block
from db.packed.layout import BLOCK_POSITIONS, HEADER_BYTES, Header, Slot, write_index
from db.packed.models import load_models
from db.packed.position import pack_simply, unpack_simply
from db.packed.sorting import KEY_BYTES, sort_key
from db.packed.verdicts import Entry, Verdict, write_verdicts

# A position to be written: its sort key and simple code in one, and the verdicts on it.
Sorted = tuple[bytes, list[Verdict]]


def write_packed(
    path: Path, entries: Iterable[Entry], progress: Progress | None = None, workers: int | None = None
) -> Header:
    """Write different positions, each with its verdicts, as a packed file. Return its header.

    A position that comes again adds the verdicts that are new. The file appears when it is complete.
    Raises `PackedFileError` if it cannot be written, and what `entries` raises.
    """
    progress = progress or Progress()
    try:
        # SQLite sorts more than fits into memory. Without a name, its file is temporary.
        with closing(sqlite3.connect("")) as sorter, replacing(path) as out:
            _sort(sorter, entries)
            (total,) = sorter.execute("SELECT COUNT(DISTINCT place) FROM entries").fetchone()
            return _write(out, _sorted(sorter), total, progress, workers)
    except OSError as error:
        raise PackedFileError(f"{path}: cannot be written: {reason_of(error)}") from error
    except sqlite3.Error as error:
        raise PackedFileError(f"{path}: cannot be written: {error}, while sorting") from error


def _sort(sorter: sqlite3.Connection, entries: Iterable[Entry]) -> None:
    """Store the verdicts of all positions, and one row without a verdict for each position."""
    sorter.execute("CREATE TABLE entries (place, clock, settings, nodes, lines, depth, found)")
    sorter.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", _rows(entries))


def _rows(entries: Iterable[Entry]) -> Iterator[tuple[object, ...]]:
    for entry in entries:
        place = sort_key(entry.board) + pack_simply(entry.board)
        yield (place, *[None] * len(Verdict._fields))
        for verdict in entry.verdicts:
            yield (place, *verdict)


def _sorted(sorter: sqlite3.Connection) -> Iterator[Sorted]:
    """Yield the positions in order, each with its verdicts, of which no two are of the same search."""
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
