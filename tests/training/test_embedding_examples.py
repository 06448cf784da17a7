"""The positions that an encoder learns from."""

from __future__ import annotations

import os
from pathlib import Path

import chess
import numpy as np
import pytest

from tests.helpers.sample_games import pgn
from training.embedding_examples import Positions, from_the_other_side, pairs, read_positions

PAWN, KING, OTHER_KING = 1, 6, 12
START = "4k3/8/8/8/8/8/P7/4K3 w - - 0 1"


@pytest.fixture
def positions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Positions:
    """The positions of the first and the last of five games; the others cannot be used or are not wanted."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    file = tmp_path / "games.pgn"
    strong = {"WhiteElo": "2000", "BlackElo": "2400"}
    games = [
        pgn("1. a3 Kd7", SetUp="1", FEN=START, **strong),
        pgn("1. e4 Ke4", **strong),
        pgn("1. d4 d5", **strong, TimeControl="60+0"),
        pgn("1. d4 d5", **strong | {"WhiteElo": "1999"}),
        pgn("1. e4 e5 2. Nf3", **strong),
    ]
    file.write_text("".join(games), encoding="utf-8")
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
    assert pairs(positions.games).tolist() == [0, 1, 3, 4, 5]


def test_the_next_position_is_seen_from_the_same_side(positions: Positions) -> None:
    (after_a3,) = from_the_other_side(positions.squares[1:2])
    squares = np.zeros(64)
    squares[[chess.A3, chess.E1, chess.E8]] = PAWN, KING, OTHER_KING
    assert np.array_equal(after_a3, squares)


def test_seen_from_the_other_side_twice_it_is_the_same(positions: Positions) -> None:
    twice = from_the_other_side(from_the_other_side(positions.squares))
    assert np.array_equal(twice, positions.squares)


def test_whole_games_are_for_the_test(positions: Positions) -> None:
    for game in np.unique(positions.games):
        assert len(np.unique(positions.test[positions.games == game])) == 1
