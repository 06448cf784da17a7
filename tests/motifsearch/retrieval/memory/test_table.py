"""The table of a memory: which positions are the same, and where they occurred."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from chess_motif.errors import IndexDamagedError
from motifsearch.retrieval.folder import OCCURRENCE, MemoryPart
from motifsearch.retrieval.memory import Table, load_table, make_table


def part(keys: Sequence[int], game: int) -> MemoryPart:
    rows = np.zeros(len(keys), OCCURRENCE)
    rows["game"], rows["ply"] = game, range(len(keys))
    return MemoryPart(np.array(keys, np.uint64), np.zeros((len(keys), 2), np.float16), rows, game)


# The largest key has all 64 bits.
PARTS = [part([2**64 - 1, 5, 8], 1), part([2**64 - 1, 8, 3, 8], 2)]


def places(table: Table, key: int) -> list[tuple[int, int]]:
    position = table.position_of(key)
    assert position is not None
    rows = table.occurrences[table.rows_of(position)]
    return [(int(row["game"]), int(row["ply"])) for row in rows]


@pytest.mark.parametrize(
    ("key", "expected"),
    [(2**64 - 1, [(1, 0), (2, 0)]), (5, [(1, 1)]), (8, [(1, 2), (2, 1), (2, 3)]), (3, [(2, 2)])],
)
def test_occurrences_are_in_order(key: int, expected: list[tuple[int, int]]) -> None:
    table, _ = make_table(PARTS)
    assert places(table, key) == expected


def test_positions_are_numbered_by_where_they_first_occurred() -> None:
    table, _ = make_table(PARTS)
    assert [table.position_of(key) for key in (2**64 - 1, 5, 8, 3)] == [0, 1, 2, 3]


def test_what_had_not_occurred_before_is_known() -> None:
    _, is_first = make_table(PARTS)
    assert is_first.tolist() == [True, True, True, False, False, True, False]


@pytest.mark.parametrize("key", [0, 4, 2**63])
def test_an_unknown_key_has_no_position(key: int) -> None:
    table, _ = make_table(PARTS)
    assert table.position_of(key) is None


def test_a_saved_table_is_unchanged(tmp_path: Path) -> None:
    table, _ = make_table(PARTS)
    table.save(tmp_path / "table.npz")
    assert places(load_table(tmp_path / "table.npz"), 8) == [(1, 2), (2, 1), (2, 3)]


def test_a_damaged_table_is_named(tmp_path: Path) -> None:
    (tmp_path / "table.npz").write_bytes(b"PK\x03\x04 and nothing more")
    with pytest.raises(IndexDamagedError, match=r"table\.npz"):
        load_table(tmp_path / "table.npz")
