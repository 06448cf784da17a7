"""The open memory: exact and similar positions, filters, and what is missing."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from chess_motif.errors import IndexDamagedError, IndexUnavailableError
from db.games import GameFilter
from db.store import Store
from motifsearch.retrieval.memory import Memory, MemoryFilter, Recollection, open_memory
from tests.helpers.sample_games import IN_RUY_LOPEZ

AFTER_E4 = chess.Board("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")


def played(recollection: Recollection) -> list[str]:
    return [move.uci() for move in recollection.moves()]


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
    memory.set_filter(MemoryFilter(mover="carlsen"))
    rows = memory.near(AFTER_E4, 1000).rows
    assert (len(rows), {bool(white) for white in rows["white"]}) == (15, {False})


def test_a_filter_says_how_much_passes(memory: Memory) -> None:
    assert memory.set_filter(MemoryFilter(mover="carlsen")) == 15


def test_a_filter_can_be_lifted(memory: Memory) -> None:
    memory.set_filter(MemoryFilter(mover="carlsen"))
    memory.set_filter(MemoryFilter())
    assert len(memory.exact(AFTER_E4)) == 2


def test_a_memory_has_its_own_database(built: Path, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    for file in (built / "memory").iterdir():
        (folder / file.name).symlink_to(file)
    (folder / "games.db").symlink_to(built / "games.db")
    assert open_memory(path=folder).contains(AFTER_E4)


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


@pytest.mark.parametrize("name", ["vectors-3.faiss", "table-3.npz", "embedding.npz"])
def test_a_damaged_file_is_named(name: str, built: Path, tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    folder.mkdir()
    for file in (built / "memory").iterdir():
        (folder / file.name).symlink_to(file)
    (folder / name).unlink()
    (folder / name).write_bytes(b"damaged")
    with Store(str(built / "games.db")) as store, pytest.raises(IndexDamagedError, match=name):
        Memory(store, folder)
