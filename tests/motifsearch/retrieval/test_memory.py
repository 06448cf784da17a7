"""The open memory: exact and similar positions, filters, what is missing, and its table."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

from chess_motif.errors import IndexDamagedError, IndexUnavailableError, StoreError
from db.games import GameFilter
from db.store import Store
from motifsearch.retrieval.folder import OCCURRENCE, MemoryPart
from motifsearch.retrieval.memory import (
    Memory,
    MemoryFilter,
    Neighbours,
    Table,
    make_table,
    open_memory,
)
from tests.helpers.sample_games import IN_RUY_LOPEZ

AFTER_E4 = chess.Board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")


def played(neighbours: Neighbours) -> list[str]:
    return [move.uci() for move in neighbours.moves()]


def test_a_position_is_remembered_with_its_moves(memory: Memory) -> None:
    assert sorted(played(memory.exact(AFTER_E4))) == ["c7c5", "e7e5"]


def test_reversed_positions_are_remembered(memory: Memory) -> None:
    assert sorted(played(memory.exact(AFTER_E4.mirror()))) == ["c2c4", "e2e4"]


def test_an_unknown_position_is_not_remembered(memory: Memory) -> None:
    assert len(memory.exact(chess.Board("8/8/8/4k3/8/8/8/4K2R w - - 0 1"))) == 0


def test_the_position_itself_is_nearest(memory: Memory) -> None:
    nearest = memory.near(chess.Board(IN_RUY_LOPEZ), 5)
    assert (played(nearest)[0], nearest.distances[0]) == ("f1g3", pytest.approx(0, abs=1e-4))


def test_distances_never_fall(memory: Memory) -> None:
    distances = memory.near(AFTER_E4, 40).distances
    assert (distances[1:] >= distances[:-1]).all()


def test_a_similar_position_is_near(memory: Memory) -> None:
    # The knight is still on b8.
    board = chess.Board("rn1qrbk1/1bp2ppp/p2p1n2/1p2p3/3PP3/2P2N1P/PPB2PP1/R1BQRNK1 w - - 7 14")
    games = memory.games(memory.near(board, 3).rows["game"].tolist())
    assert {archived.game.eco for archived in games.values()} == {"C95"}


@pytest.mark.parametrize(
    ("filters", "moves"),
    [
        (MemoryFilter(), ["c7c5", "e7e5"]),
        (MemoryFilter(mover="carlsen"), ["e7e5"]),
        (MemoryFilter(mover="anand"), ["c7c5"]),
        (MemoryFilter(mover="nobody"), []),
        (MemoryFilter(GameFilter(eco="B")), ["c7c5"]),
        (MemoryFilter(GameFilter(elo=(2750, None))), ["e7e5"]),
        (MemoryFilter(GameFilter(eco="C"), mover="anand"), []),
    ],
)
def test_only_what_passes_the_filter_is_remembered(
    memory: Memory, filters: MemoryFilter, moves: list[str]
) -> None:
    memory.set_filter(filters)
    assert sorted(played(memory.exact(AFTER_E4))) == moves


def test_only_what_passes_the_filter_is_near(memory: Memory) -> None:
    passing = memory.set_filter(MemoryFilter(mover="carlsen"))
    rows = memory.near(AFTER_E4, 1000).rows
    assert (passing, len(rows), {bool(white) for white in rows["white"]}) == (15, 15, {False})


def test_a_missing_memory_says_how_to_make_one(sqlite_store: Store) -> None:
    with pytest.raises(IndexUnavailableError, match="retrieval build"):
        Memory(sqlite_store)


def test_a_missing_folder_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailableError):
        open_memory(path=tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_the_memory_of_another_database_is_refused(built: Path, sqlite_store: Store) -> None:
    with pytest.raises(IndexUnavailableError, match="another database"):
        Memory(sqlite_store, built / "memory")


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Path:
    """A copy of the memory with its own database."""
    shutil.copytree(built / "memory", tmp_path / "memory")
    shutil.copy(built / "games.db", tmp_path / "memory" / "games.db")
    return tmp_path / "memory"


def test_a_memory_has_its_own_database(copied: Path) -> None:
    assert open_memory(path=copied).contains(AFTER_E4)


@pytest.mark.parametrize("name", ["vectors-3.faiss", "table-3.npz", "embedding.npz"])
def test_a_damaged_file_is_named(name: str, copied: Path) -> None:
    (copied / name).write_bytes(b"damaged")
    with pytest.raises(IndexDamagedError, match=name):
        open_memory(path=copied)


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


def test_occurrences_of_a_position_are_in_order() -> None:
    table, _ = make_table(PARTS)
    assert [places(table, key) for key in (2**64 - 1, 5, 8, 3)] == [
        [(1, 0), (2, 0)],
        [(1, 1)],
        [(1, 2), (2, 1), (2, 3)],
        [(2, 2)],
    ]


def test_positions_are_numbered_by_where_they_first_occurred() -> None:
    table, _ = make_table(PARTS)
    assert [table.position_of(key) for key in (2**64 - 1, 5, 8, 3)] == [0, 1, 2, 3]


def test_what_had_not_occurred_before_is_known() -> None:
    _, is_first = make_table(PARTS)
    assert is_first.tolist() == [True, True, True, False, False, True, False]


def test_an_unknown_key_has_no_position() -> None:
    table, _ = make_table(PARTS)
    assert [table.position_of(key) for key in (0, 4, 2**63)] == [None, None, None]


def changed(file: Path, name: str, change: Callable[[Any], Any]) -> None:
    """Change an array in a file of arrays."""
    with np.load(file) as arrays:
        columns = {**arrays}
    np.savez(file, **{**columns, name: change(columns[name])})


@pytest.mark.parametrize("column", ["keys", "positions", "starts", "occurrences"])
@pytest.mark.parametrize(
    "change",
    [
        lambda column: column[:-1],
        lambda column: column.reshape(1, -1),
        lambda column: np.zeros(len(column), np.float32),
    ],
    ids=["cut", "two-dimensional", "of another type"],
)
def test_a_table_that_is_inconsistent_is_damaged(
    copied: Path, column: str, change: Callable[[Any], Any]
) -> None:
    changed(copied / "table-3.npz", column, change)
    with pytest.raises(IndexDamagedError, match="table-3"):
        open_memory(path=copied)


@pytest.mark.parametrize("column", ["keys", "positions", "starts"])
def test_a_table_with_a_repeated_number_is_damaged(copied: Path, column: str) -> None:
    changed(copied / "table-3.npz", column, lambda numbers: np.append(numbers[:1], numbers[:-1]))
    with pytest.raises(IndexDamagedError, match="table-3"):
        open_memory(path=copied)


@pytest.mark.parametrize(
    "change",
    [lambda array: array[:-1], lambda array: np.array(["x"]), lambda array: array * np.float32("nan")],
    ids=["cut", "text", "not numbers"],
)
@pytest.mark.parametrize("name", ["moves", "moves_mean", "hidden", "hidden_mean"])
def test_an_embedding_that_does_not_fit_is_damaged(
    copied: Path, name: str, change: Callable[[Any], Any]
) -> None:
    changed(copied / "embedding.npz", name, change)
    with pytest.raises(IndexDamagedError, match="embedding"):
        open_memory(path=copied)


@pytest.mark.parametrize(("name", "value"), [("model", "../x"), ("model", 5), ("last", "3"), ("games", None)])
def test_facts_that_cannot_be_are_damaged(copied: Path, name: str, value: object) -> None:
    file = copied / "memory.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), name: value}))
    with pytest.raises(IndexDamagedError, match=r"memory\.json"):
        open_memory(path=copied)


def test_a_changed_bit_of_the_vectors_is_damage(copied: Path) -> None:
    file = copied / "vectors-3.faiss"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(IndexDamagedError, match="vectors-3"):
        open_memory(path=copied)


def test_vectors_without_a_checksum_are_not_read(copied: Path) -> None:
    file = copied / "memory.json"
    facts = json.loads(file.read_text())
    del facts["vectors"]
    file.write_text(json.dumps(facts))
    with pytest.raises(IndexDamagedError, match="vectors-3"):
        open_memory(path=copied)


def test_a_game_that_is_not_in_the_database_is_named(memory: Memory) -> None:
    with pytest.raises(StoreError, match="the archived game 9 of the memory is missing"):
        memory.games([1, 9])
