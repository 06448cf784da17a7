"""A memory that is built with an encoder."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from chess_motif.errors import HumanModelError, IndexDamagedError
from db.store import Store
from engines.human.model import SHIPPED_MODEL
from motifsearch.retrieval.build import build_memory
from motifsearch.retrieval.embedding import load_model
from motifsearch.retrieval.engines import chesscone_engine
from motifsearch.retrieval.folder import ENCODER, MemoryFolder
from motifsearch.retrieval.memory import Memory
from tests.helpers.archived_games import GAMES, ROOKS, archive, random_moves
from tests.helpers.encoder_files import encoder, write_encoder
from tests.helpers.recording_progress import RecordingProgress
from tests.helpers.rows import game_row

pytestmark = pytest.mark.usefixtures("one_core")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_encoder(tmp_path / "network.onnx")


@pytest.fixture
def folder(sqlite_store: Store, file: Path, tmp_path: Path) -> Path:
    """The folder of a memory."""
    archive(sqlite_store, *GAMES)
    build_memory(sqlite_store, tmp_path / "memory", model=file)
    return tmp_path / "memory"


def test_a_position_is_found_at_distance_0(sqlite_store: Store, folder: Path) -> None:
    found = Memory(sqlite_store, folder).near(chess.Board(ROOKS), 1)
    assert [move.uci() for move in found.moves()] == ["a1a7"]
    assert found.distances.tolist() == [0]


def test_reversed_colours_are_at_distance_0(sqlite_store: Store, folder: Path) -> None:
    found = Memory(sqlite_store, folder).near(chess.Board(ROOKS).mirror(), 1)
    assert [move.uci() for move in found.moves()] == ["a8a2"]
    assert found.distances.tolist() == [0]


def test_other_positions_are_farther_away(sqlite_store: Store, folder: Path) -> None:
    found = Memory(sqlite_store, folder).near(chess.Board(ROOKS), 2)
    assert found.distances[1] > 0


def test_there_are_no_projections(folder: Path) -> None:
    assert not MemoryFolder(folder).embedding_file.exists()


def test_the_encoder_may_be_removed(sqlite_store: Store, folder: Path, file: Path) -> None:
    file.unlink()
    assert len(Memory(sqlite_store, folder).near(chess.Board(ROOKS), 1)) == 1


def test_a_human_move_model_takes_its_place(sqlite_store: Store, folder: Path) -> None:
    archive(sqlite_store, game_row("long", moves=random_moves(1)))
    progress = RecordingProgress()
    build_memory(sqlite_store, folder, model=SHIPPED_MODEL, progress=progress)
    assert progress.notices == [f"{folder}: built from another database or model; rebuilding it"]


def test_an_engine_uses_the_human_move_model_of_the_package(sqlite_store: Store, file: Path) -> None:
    archive(sqlite_store, *GAMES)
    build_memory(sqlite_store, model=file)
    engine = chesscone_engine(sqlite_store.url.render_as_string(hide_password=False))
    engine.prepare()
    board = chess.Board(ROOKS)
    assert engine.choose(board, [*board.legal_moves]).move in board.legal_moves


def test_the_encoder_of_a_memory_is_damaged(sqlite_store: Store, folder: Path) -> None:
    (folder / ENCODER).write_bytes(encoder()[:-20])
    with pytest.raises(IndexDamagedError, match=r"encoder\.onnx: not an encoder of positions"):
        Memory(sqlite_store, folder)


def test_a_file_that_is_no_model_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "network.onnx"
    file.write_bytes(b"[Event]")
    with pytest.raises(HumanModelError, match=r"network\.onnx: not a human-move model"):
        load_model(file)
