"""ChessBERT's scores, and which network it opens."""

from __future__ import annotations

import math
from pathlib import Path

import chess
import pytest
from hypothesis import given

from chess_motif.errors import ChessBertError
from motifsearch.retrieval.chessbert import ChessBert, Context, load_chessbert
from tests.helpers.chessbert_files import copying_network
from tests.helpers.random_games import games

COPYING = ChessBert(copying_network())
KINGS_PAWN = chess.Move.from_uci("e2e4")


def test_the_highest_score_is_the_first() -> None:
    scores = COPYING.scores(chess.Board(), [Context(chess.Board(), KINGS_PAWN)])
    assert next(iter(scores)) == KINGS_PAWN


def test_scores_are_a_softmax_of_the_logits() -> None:
    scores = COPYING.scores(chess.Board(), [Context(chess.Board(), KINGS_PAWN)])
    assert scores[KINGS_PAWN] == pytest.approx(math.e / (math.e + 19))


def test_a_context_with_the_other_colours() -> None:
    black_moves = chess.Board().mirror()
    scores = COPYING.scores(chess.Board(), [Context(black_moves, chess.Move.from_uci("e7e5"))])
    assert next(iter(scores)) == KINGS_PAWN


def test_without_contexts() -> None:
    assert list(COPYING.scores(chess.Board(), []).values()) == pytest.approx(20 * [1 / 20])


def test_a_finished_game_has_no_scores() -> None:
    assert COPYING.scores(chess.Board("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"), []) == {}


@given(games())
def test_legal_moves_have_scores(boards: list[chess.Board]) -> None:
    contexts = [Context(board, move) for board in boards for move in list(board.legal_moves)[:1]][:4]
    assert set(COPYING.scores(boards[-1], contexts)) == set(boards[-1].legal_moves)


def test_a_promotion_is_to_the_piece_of_the_context() -> None:
    board = chess.Board("8/4P1k1/8/8/8/8/8/K7 w - - 0 1")
    to_knight = chess.Move.from_uci("e7e8n")
    assert next(iter(COPYING.scores(board, [Context(board, to_knight)]))) == to_knight


def test_a_network_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "network.onnx"
    file.write_bytes(copying_network())
    assert load_chessbert(file).scores(chess.Board(), [])


def test_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ChessBertError, match=r"network\.onnx: no such file or directory"):
        load_chessbert(tmp_path / "network.onnx")


@pytest.mark.parametrize("content", [b"[Event]", copying_network("policy")])
def test_another_file_is_an_error(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "network.onnx"
    file.write_bytes(content)
    with pytest.raises(ChessBertError) as caught:
        load_chessbert(file)
    assert str(caught.value).startswith(f"{file}: not a network for ChessBERT: ")


def test_a_network_with_another_output_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"its output has the shape \(1, 3\)"):
        ChessBert(copying_network(keepdims=1))


def test_a_file_too_large_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "network.onnx"
    file.write_bytes(copying_network())
    monkeypatch.setattr("engines.human.model.MOST_BYTES", 100)
    with pytest.raises(ChessBertError, match="it is too large"):
        load_chessbert(file)
