"""An encoder: its vectors, and which files are one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import chess
import numpy as np
import pytest

from chess_motif.errors import InputError
from engines.human.model import BATCH, SHIPPED_MODEL
from motifsearch.retrieval.embedding import Encoder, is_encoder, load_encoder
from tests.helpers.encoder_files import encoder, write_encoder
from tests.helpers.paths import ROOT

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


def test_no_positions_have_no_vectors() -> None:
    assert Encoder(encoder())([]).shape == (0, 768)


def test_a_file_with_vectors_is_an_encoder(tmp_path: Path) -> None:
    assert is_encoder(write_encoder(tmp_path / "encoder.onnx"))


def test_a_human_move_model_is_none() -> None:
    assert not is_encoder(SHIPPED_MODEL)


def test_a_damaged_file_is_none(tmp_path: Path) -> None:
    file = tmp_path / "encoder.onnx"
    file.write_bytes(encoder()[:-20])
    assert not is_encoder(file)


def test_no_file_is_none(tmp_path: Path) -> None:
    assert not is_encoder(tmp_path / "encoder.onnx")


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
