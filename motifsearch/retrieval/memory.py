"""The memory of games: where a position occurred, and where similar positions occurred.

A `Memory` has a `Table`, which says which positions are identical and where they occurred, and an index of
vectors, which finds the nearest positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import numpy as np
import numpy.typing as npt

from chess_motif import arguments
from chess_motif.errors import IndexDamagedError, IndexUnavailableError, StoreError
from db.games import GameFilter, archived_numbers, get_archived
from db.models import ArchivedGame
from db.store import Store
from motifsearch.retrieval.embedding import Embedding, HumanEmbedding, load_arrays, save_arrays
from motifsearch.retrieval.folder import (
    OCCURRENCE,
    Facts,
    MemoryFolder,
    MemoryPart,
    decode_move,
    default_folder,
    key_of,
    own_database,
)

if TYPE_CHECKING:
    from motifsearch.retrieval.vectors import Numbers, VectorIndex

# The most occurrences of one similar position that are returned: the last occurrences.
MOST_OF_POSITION = 20

# Squared distances up to this are due to rounding.
SAME = 1e-5


@dataclass(frozen=True)
class MemoryFilter:
    """Which occurrences count: those in games that pass a filter, with a move of the player `mover`.

    `mover` is a name as in `GameFilter.player`.
    """

    games: GameFilter = field(default_factory=GameFilter)
    mover: str | None = None


@dataclass(frozen=True)
class Neighbours:
    """Occurrences of positions similar to a position with `turn` to move, and their squared distances.

    `rows` have the fields of `OCCURRENCE`. Distances are in rising order.
    """

    turn: chess.Color
    rows: npt.NDArray[np.void]
    distances: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.rows)

    def moves(self) -> Iterator[chess.Move]:
        """Yield the moves that were played, in the colours of the side to move; not all are legal."""
        return (decode_move(int(move), self.turn) for move in self.rows["move"])


def open_memory(database: str | None = None, path: Path | None = None) -> Memory:
    """Open the memory in a folder with its own database, or else the memory beside a database.

    Raises what `Memory` raises.
    """
    if path is not None:
        # First, since the message for a missing memory is more helpful than that for a missing database.
        _finished(MemoryFolder(path))
        database = own_database(path)
    return Memory(Store(database, create=False), path)


class Memory:
    """An open memory (see `build_memory`), which has the games up to the last build."""

    def __init__(self, store: Store, path: Path | None = None) -> None:
        """Open the memory in the folder `path` (default: beside the database).

        Raises `IndexUnavailableError` without a memory, `HumanModelError`, `LibraryMissingError`,
        `StoreError`.
        """
        self.store = store
        folder = MemoryFolder(path or default_folder(store))
        facts = _finished(folder)
        if facts.store != store.identity():
            raise IndexUnavailableError(f"{folder.path}: the memory of another database")
        self.facts = facts
        self.embedding = folder.open_embedding(facts)
        # The human-move model of the memory, None if it was built with an encoder.
        self.model = self.embedding.model if isinstance(self.embedding, HumanEmbedding) else None
        self._table, self._vectors = open_searches(folder, facts, self.embedding)
        self._allowed_rows: npt.NDArray[np.bool_] | None = None
        self._allowed_positions: npt.NDArray[np.bool_] | None = None

    def set_filter(self, filters: MemoryFilter) -> int:
        """Restrict searches to the occurrences that pass a filter, and return the number of these."""
        if filters == MemoryFilter():
            self._allowed_rows = self._allowed_positions = None
            return len(self._table.occurrences)
        self._allowed_rows = self._passing(filters)
        self._allowed_positions = self._table.positions_with(self._allowed_rows)
        return int(np.count_nonzero(self._allowed_rows))

    def _passing(self, filters: MemoryFilter) -> npt.NDArray[np.bool_]:
        rows = self._table.occurrences
        with self.store.reading() as session:
            if filters.mover is None:
                return np.isin(rows["game"], archived_numbers(session, filters.games))
            games = replace(filters.games, player=filters.mover)
            as_white = archived_numbers(session, replace(games, white=True))
            as_black = archived_numbers(session, replace(games, white=False))
        return np.where(rows["white"], np.isin(rows["game"], as_white), np.isin(rows["game"], as_black))

    def contains(self, board: chess.Board) -> bool:
        """Return whether the position occurred in any game, also with reversed colours."""
        return self._table.position_of(key_of(board)) is not None

    def exact(self, board: chess.Board) -> Neighbours:
        """Return where the position occurred, also with reversed colours."""
        position = self._table.position_of(key_of(board))
        rows = self._table.occurrences[:0] if position is None else self._rows(position)
        return Neighbours(board.turn, rows, np.zeros(len(rows), np.float32))

    def near(self, board: chess.Board, count: int) -> Neighbours:
        """Return occurrences of the `count` positions nearest to `board`, nearest first.

        They include the position itself if it occurred. Raises `InputError` for a count below 1.
        """
        arguments.at_least(1, count=count)
        (vector,) = self.embedding([board])
        positions, distances = self._vectors.nearest(vector, count, self._allowed_positions)
        rows = [self._rows(int(position))[-MOST_OF_POSITION:] for position in positions]
        return Neighbours(
            board.turn,
            np.concatenate([np.zeros(0, OCCURRENCE), *rows]),
            np.repeat(np.maximum(distances, 0), [len(some) for some in rows]),
        )

    def _rows(self, position: int) -> npt.NDArray[np.void]:
        where = self._table.rows_of(position)
        rows = self._table.occurrences[where]
        return rows if self._allowed_rows is None else rows[self._allowed_rows[where]]

    def boards(self, rows: npt.NDArray[np.void]) -> Iterator[chess.Board]:
        """Yield the positions of occurrences in their own colours. Raises `StoreError`."""
        games = self.games(rows["game"].tolist())
        return (games[int(row["game"])].position(int(row["ply"])) for row in rows)

    def games(self, numbers: Sequence[int]) -> dict[int, ArchivedGame]:
        """Return the archived games with these numbers, by number. Raises `StoreError`."""
        with self.store.reading() as session:
            games = get_archived(session, numbers)
        if missing := {*numbers} - games.keys():
            raise StoreError(f"{self.store.shown}: the archived game {min(missing)} of the memory is missing")
        return games


def _finished(folder: MemoryFolder) -> Facts:
    facts = folder.facts()
    if facts is None or not facts.last:
        raise IndexUnavailableError(f"{folder.path}: no memory; 'motifsearch retrieval build' makes one")
    return facts


def open_searches(folder: MemoryFolder, facts: Facts, embedding: Embedding) -> tuple[Table, VectorIndex]:
    """Return the table of a memory and its vectors, which searches use.

    Raises `IndexDamagedError` and `LibraryMissingError`.
    """
    # Imported only here: its library is optional.
    from motifsearch.retrieval.vectors import load_vectors

    table, file = load_table(folder.table_file(facts.last)), folder.vectors_file(facts.last)
    vectors = load_vectors(file, facts.vectors)
    if (vectors.count, vectors.dimensions) != (table.count, embedding.dimensions):
        raise IndexDamagedError(f"{file}: damaged")
    return table, vectors


@dataclass(frozen=True)
class Table:
    """Positions, numbered from 0 in the order of their first occurrence, and their occurrences.

    `keys` are sorted, and `positions` has the position of each key. Position n has the occurrences from
    `starts[n]` up to `starts[n + 1]`, in order of game and ply.
    """

    keys: npt.NDArray[np.uint64]
    positions: npt.NDArray[np.int32]
    starts: Numbers
    occurrences: npt.NDArray[np.void]

    @property
    def count(self) -> int:
        """The number of positions."""
        return len(self.keys)

    def position_of(self, key: int) -> int | None:
        """Return the position with this key, or None."""
        place = int(np.searchsorted(self.keys, np.uint64(key)))
        found = place < len(self.keys) and self.keys[place] == np.uint64(key)
        return int(self.positions[place]) if found else None

    def rows_of(self, position: int) -> slice:
        """Return the slice of the occurrences of a position."""
        return slice(int(self.starts[position]), int(self.starts[position + 1]))

    def positions_with(self, allowed: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return which positions have an occurrence for which `allowed` is true."""
        counts = np.concatenate([[0], np.cumsum(allowed)])
        return np.asarray(counts[self.starts[1:]] > counts[self.starts[:-1]])

    def is_consistent(self) -> bool:
        """Return whether every position has a key and at least one occurrence."""
        columns = (self.keys, self.positions, self.starts, self.occurrences)
        kinds = [np.dtype(np.uint64), np.dtype(np.int32), np.dtype(np.int64), OCCURRENCE]
        if [column.dtype for column in columns] != kinds or any(column.ndim != 1 for column in columns):
            return False
        return (
            np.array_equal(np.sort(self.positions), np.arange(self.count))
            and len(self.starts) == self.count + 1
            and bool((self.keys[1:] > self.keys[:-1]).all())
            and bool((self.starts[1:] > self.starts[:-1]).all())
            and (self.starts[0], self.starts[-1]) == (0, len(self.occurrences))
        )

    def save(self, file: Path) -> None:
        """Write the table to a file, which is complete or missing. Raises `OSError`."""
        save_arrays(file, vars(self))


def make_table(parts: Iterable[MemoryPart]) -> tuple[Table, npt.NDArray[np.bool_]]:
    """Return the table of some parts, and which of their positions, in order, had not occurred before."""
    columns = [(part.keys, part.occurrences) for part in parts]
    all_keys, occurrences = (np.concatenate(column) for column in zip(*columns, strict=True))
    keys, first, same = np.unique(all_keys, return_index=True, return_inverse=True)
    positions = np.empty(len(keys), np.int32)
    positions[np.argsort(first)] = np.arange(len(keys), dtype=np.int32)
    is_first = np.zeros(len(all_keys), np.bool_)
    is_first[first] = True
    of_occurrence = positions[same]
    by_position = np.argsort(of_occurrence, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(of_occurrence, minlength=len(keys)))])
    return Table(keys, positions, starts.astype(np.int64), occurrences[by_position]), is_first


def load_table(file: Path) -> Table:
    """Return the table that `Table.save` wrote. Raises `IndexDamagedError` if it cannot be read."""
    table = Table(*load_arrays(file, *(field.name for field in fields(Table))))
    if not table.is_consistent():
        raise IndexDamagedError(f"{file}: damaged")
    return table
