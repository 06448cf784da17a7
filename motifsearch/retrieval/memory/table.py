"""Which positions of a memory are the same, and where each of them occurred."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt

from motifsearch.retrieval.memory.arrays import load_arrays, save_arrays
from motifsearch.retrieval.memory.parts import Part

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Table:
    """Positions, numbered from 0 by where they first occurred, and their occurrences.

    `keys` are sorted, and `positions` has the position of each. The occurrences of position n are those from
    `starts[n]` up to `starts[n + 1]`, in order of game and ply.
    """

    keys: npt.NDArray[np.uint64]
    positions: npt.NDArray[np.int32]
    starts: Numbers
    occurrences: npt.NDArray[np.void]

    @property
    def count(self) -> int:
        """How many positions there are."""
        return len(self.keys)

    def position_of(self, key: int) -> int | None:
        """Return the position with a key."""
        place = int(np.searchsorted(self.keys, np.uint64(key)))
        found = place < len(self.keys) and self.keys[place] == np.uint64(key)
        return int(self.positions[place]) if found else None

    def rows_of(self, position: int) -> slice:
        """Return which occurrences are those of a position."""
        return slice(int(self.starts[position]), int(self.starts[position + 1]))

    def positions_with(self, allowed: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return which positions have an occurrence that `allowed` is true of."""
        counts = np.concatenate([[0], np.cumsum(allowed)])
        return np.asarray(counts[self.starts[1:]] > counts[self.starts[:-1]])

    def save(self, file: Path) -> None:
        """Write the table to a file, which is complete or missing. Raises `OSError`."""
        save_arrays(file, vars(self))


def make_table(parts: Iterable[Part]) -> tuple[Table, npt.NDArray[np.bool_]]:
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
    return Table(*load_arrays(file, *(field.name for field in fields(Table))))
