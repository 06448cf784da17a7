"""The positions that an encoder learns from."""

from __future__ import annotations

import os
from pathlib import Path

import chess
import numpy as np
import pytest

from tests.helpers.sample_games import pgn
from training.embedding_examples import Positions, pairs, read_positions

PAWN, KING, OTHER_KING = 1, 6, 12
START = "4k3/8/8/8/8/8/P7/4K3 w - - 0 1"


@pytest.fixture
def positions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Positions:
    """The positions of three games, of which the second cannot be used."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    file = tmp_path / "games.pgn"
    file.write_text(
        pgn("1. a3 Kd7", SetUp="1", FEN=START) + pgn("1. e4 Ke4") + pgn("1. e4 e5 2. Nf3"), encoding="utf-8"
    )
    return read_positions([str(file)])


def test_every_position_of_the_usable_games_is_there(positions: Positions) -> None:
    assert positions.games.tolist() == 3 * [0] + 4 * [1]


def test_the_side_to_move_sees_its_pieces_first(positions: Positions) -> None:
    squares = np.zeros(64)
    squares[[chess.A2, chess.E1, chess.E8]] = PAWN, KING, OTHER_KING
    assert np.array_equal(positions.squares[0], squares)


def test_black_sees_the_board_from_the_other_end(positions: Positions) -> None:
    squares = np.zeros(64)
    squares[[chess.E1, chess.E8, chess.A6]] = KING, OTHER_KING, 7
    assert np.array_equal(positions.squares[1], squares)


def test_pairs_are_of_the_same_game(positions: Positions) -> None:
    assert pairs(positions.games).tolist() == [0, 3, 4]
