"""Positions as vectors: by the human-move model and by an encoder, and principal components."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import chess
import numpy as np
import pytest

from chess_motif.errors import HumanModelError, IndexDamagedError, InputError
from engines.human.model import BATCH, SHIPPED_MODEL
from motifsearch.retrieval.embedding import (
    Encoder,
    HumanEmbedding,
    Projection,
    fit_embedding,
    fit_projection,
    is_encoder,
    load_arrays,
    load_encoder,
)
from motifsearch.retrieval.memory import Memory
from tests.helpers.encoder_files import encoder, write_encoder
from tests.helpers.paths import ROOT
from tests.helpers.sample_games import IN_RUY_LOPEZ

BOARD = chess.Board(IN_RUY_LOPEZ)


@pytest.fixture
def embedding(memory: Memory) -> HumanEmbedding:
    assert isinstance(memory.embedding, HumanEmbedding)
    return memory.embedding


def distance(embedding: HumanEmbedding, first: chess.Board, second: chess.Board) -> float:
    one, other = embedding([first, second])
    return float(np.linalg.norm(one - other))


def test_reversed_positions_have_the_same_vector(embedding: HumanEmbedding) -> None:
    assert distance(embedding, BOARD, BOARD.mirror()) < 1e-4


def test_what_came_before_does_not_count(embedding: HumanEmbedding) -> None:
    played = chess.Board()
    for move in ("e2e4", "c7c5", "g1f3"):
        played.push_uci(move)
    assert distance(embedding, played, chess.Board(played.fen())) < 1e-4


def test_the_side_to_move_counts(embedding: HumanEmbedding) -> None:
    other = BOARD.copy()
    other.turn = not other.turn
    assert distance(embedding, BOARD, other) > 0.1


def test_a_position_without_moves_has_a_vector(embedding: HumanEmbedding) -> None:
    mated = chess.Board("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
    assert np.isfinite(embedding([mated])).all()


def test_no_positions_have_no_vectors(embedding: HumanEmbedding) -> None:
    assert embedding([]).shape == (0, embedding.dimensions)


def test_batches_do_not_matter(embedding: HumanEmbedding) -> None:
    boards = 130 * [BOARD, BOARD.mirror()]
    assert np.ptp(embedding(boards), axis=0).max() < 1e-4


@pytest.mark.parametrize("header", ["{'descr': '<f4", "{'descr': }", "{", "\0", "[" * 500])
def test_a_damaged_header_of_an_array_is_damage(tmp_path: Path, header: str) -> None:
    file = tmp_path / "arrays.npz"
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mean.npy", content)
    with pytest.raises(IndexDamagedError, match=re.escape(f"{file}: missing or damaged")):
        load_arrays(file, "mean")


def test_compressed_arrays_are_damage(tmp_path: Path) -> None:
    file = tmp_path / "arrays.npz"
    np.savez_compressed(file, mean=np.zeros(1000))
    with pytest.raises(IndexDamagedError):
        load_arrays(file, "mean")


def test_a_model_that_hides_its_last_layer_cannot_embed(
    embedding: HumanEmbedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hidden(*_: object) -> None:
        raise ValueError("it does not have the output 'hidden'")

    monkeypatch.setattr(embedding.model.network, "run_hidden", hidden)
    with pytest.raises(HumanModelError, match="cannot embed positions: it does not have"):
        fit_embedding(embedding.model, [BOARD])


CASTLED = "r1bq1rk1/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQ1RK1 w - - 1 6"


def test_a_vector_shows_the_pieces() -> None:
    (vector,) = Encoder(encoder())([chess.Board("4k3/8/8/8/8/8/P7/4K3 w - - 0 1")])
    mover_pawn, mover_king, other_king = 0, 5 * 64, 11 * 64
    assert np.flatnonzero(vector).tolist() == [
        mover_pawn + chess.A2,
        mover_king + chess.E1,
        other_king + chess.E8,
    ]


def test_mirrored_colours_have_the_same_vector() -> None:
    board = chess.Board(CASTLED)
    vector, mirrored = Encoder(encoder())([board, board.mirror()])
    assert np.array_equal(vector, mirrored)


def test_many_positions_are_run_in_batches() -> None:
    assert Encoder(encoder())((BATCH + 1) * [chess.Board()]).shape == (BATCH + 1, 768)


def test_no_positions_are_no_vectors_of_an_encoder() -> None:
    assert Encoder(encoder())([]).shape == (0, 768)


def test_what_an_encoder_is(tmp_path: Path) -> None:
    sound, damaged = write_encoder(tmp_path / "sound.onnx"), tmp_path / "damaged.onnx"
    damaged.write_bytes(encoder()[:-20])
    files = [sound, damaged, SHIPPED_MODEL, tmp_path / "none.onnx"]
    assert [*map(is_encoder, files)] == [True, False, False, False]


def test_a_missing_file_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"encoder\.onnx: no such file or directory"):
        load_encoder(tmp_path / "encoder.onnx")


def test_a_damaged_file_cannot_be_opened(tmp_path: Path) -> None:
    file = tmp_path / "encoder.onnx"
    file.write_bytes(encoder()[:-20])
    with pytest.raises(InputError) as caught:
        load_encoder(file)
    assert str(caught.value) == f"{file}: not an encoder of positions: onnxruntime cannot run it"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (encoder("policy"), "onnxruntime cannot run it"),
        (encoder().replace(b"pieces", b"planes"), "Required inputs"),
        (encoder(axis=0), r"its output has the shape \(1, 1536\)"),
    ],
)
def test_an_onnx_model_of_something_else_is_an_error(content: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Encoder(content)


def test_nobody_is_told_about_a_vector(tmp_path: Path) -> None:
    """onnxruntime can report how it is used; it then keeps an id of the device in the home folder."""
    file, home = write_encoder(tmp_path / "encoder.onnx"), tmp_path / "home"
    home.mkdir()
    code = (
        "import chess, pathlib, sys; from motifsearch.retrieval.embedding import load_encoder;"
        "load_encoder(pathlib.Path(sys.argv[1]))([chess.Board()])"
    )
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    environment |= {"HOME": str(home), "XDG_CACHE_HOME": str(home)}
    subprocess.run([sys.executable, "-B", "-c", code, str(file)], env=environment, cwd=ROOT, check=True)
    assert list(home.rglob("*")) == []


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    random = np.random.default_rng(7)
    spread = 2.0 ** -np.arange(40)
    return (random.standard_normal((500, 40)) * spread + 3).astype(np.float32)


@pytest.fixture(scope="module")
def projection(vectors: np.ndarray) -> Projection:
    return fit_projection(vectors, 4)


def test_it_spans_the_leading_components(vectors: np.ndarray, projection: Projection) -> None:
    _, _, exact = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    basis, _ = np.linalg.qr(projection.components)
    overlap = np.linalg.norm(exact[:4] @ basis, axis=1)
    assert overlap == pytest.approx(np.ones(4), abs=1e-3)


def test_it_is_centred(vectors: np.ndarray, projection: Projection) -> None:
    assert projection(vectors).mean(axis=0) == pytest.approx(np.zeros(4), abs=1e-5)


def test_the_mean_squared_length_is_one(vectors: np.ndarray, projection: Projection) -> None:
    assert np.square(projection(vectors)).sum(axis=1).mean() == pytest.approx(1, abs=1e-3)


def test_the_same_vectors_give_the_same_projection(vectors: np.ndarray, projection: Projection) -> None:
    assert np.array_equal(fit_projection(vectors, 4).components, projection.components)
