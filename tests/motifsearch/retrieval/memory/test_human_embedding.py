"""Positions as vectors: what they depend on, and what they do not."""

from __future__ import annotations

from pathlib import Path

import chess
import numpy as np
import pytest

from chess_motif.errors import HumanModelError, IndexDamagedError
from motifsearch.retrieval.embedding import HumanEmbedding, fit_embedding, load_embedding
from motifsearch.retrieval.memory import Memory
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


def test_a_saved_embedding_is_the_same(embedding: HumanEmbedding, tmp_path: Path) -> None:
    embedding.save(tmp_path / "embedding.npz")
    loaded = load_embedding(embedding.model, tmp_path / "embedding.npz")
    assert np.array_equal(loaded([BOARD]), embedding([BOARD]))


def test_a_missing_file_is_named(embedding: HumanEmbedding, tmp_path: Path) -> None:
    with pytest.raises(IndexDamagedError, match=r"embedding\.npz"):
        load_embedding(embedding.model, tmp_path / "embedding.npz")


def test_a_model_that_hides_its_last_layer_cannot_embed(
    embedding: HumanEmbedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hidden(*_: object) -> None:
        raise ValueError("it does not have the output 'hidden'")

    monkeypatch.setattr(embedding.model.network, "run_hidden", hidden)
    with pytest.raises(HumanModelError, match="cannot embed positions: it does not have"):
        fit_embedding(embedding.model, [BOARD])
