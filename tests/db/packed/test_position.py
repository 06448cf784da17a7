"""Positions as bytes, and back."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given

from chess_motif.errors import StoreError
from db.packed.position import (
    SIMPLE_BYTES,
    en_passant_of,
    en_passant_squares,
    identity,
    pack_simply,
    squares_of,
    unpack_simply,
)
from tests.helpers.random_games import games

# A pawn has just moved two squares, but the pawn beside it is pinned.
PINNED = "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1"


@given(boards=games())
def test_every_position_comes_back(boards: list[chess.Board]) -> None:
    for board in boards:
        code = pack_simply(board)
        assert len(code) == SIMPLE_BYTES
        assert unpack_simply(code).epd() == board.epd()


@given(boards=games())
def test_equal_positions_are_identical_and_others_not(boards: list[chess.Board]) -> None:
    by_identity = {identity(board): board.epd() for board in boards}
    assert len(by_identity) == len({board.epd() for board in boards})
    assert all(by_identity[identity(board)] == board.epd() for board in boards)


def test_the_squares_are_in_the_order_of_a_fen() -> None:
    squares = squares_of(chess.Board())
    assert squares[:9] == bytes([10, 8, 9, 11, 12, 9, 8, 10, 7])
    assert squares[-9:] == bytes([1, 4, 2, 3, 5, 6, 3, 2, 4])


@given(boards=games())
def test_the_en_passant_square_is_among_the_possible_ones(boards: list[chess.Board]) -> None:
    for board in boards:
        passed = en_passant_of(board)
        without = board.copy(stack=False)
        without.ep_square = None
        assert passed is None or passed in en_passant_squares(without)


def test_a_pawn_that_is_pinned_cannot_capture_en_passant() -> None:
    board = chess.Board(PINNED)
    assert en_passant_of(board) is None
    board.ep_square = None
    assert en_passant_squares(board) == []


def test_a_pawn_that_cannot_have_passed_is_not_captured() -> None:
    # Something is on the square that the pawn would have passed, or on the one that it would come from.
    assert en_passant_squares(chess.Board("4k3/8/3n4/3pP3/8/8/8/4K3 w - - 0 1")) == []
    assert en_passant_squares(chess.Board("4k3/3n4/8/3pP3/8/8/8/4K3 w - - 0 1")) == []
    assert en_passant_squares(chess.Board("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1")) == [chess.D6]


@pytest.mark.parametrize("code", [b"", b"\xff" * SIMPLE_BYTES, bytes(SIMPLE_BYTES - 2) + b"\x02\x00"])
def test_what_is_no_position_is_refused(code: bytes) -> None:
    with pytest.raises(StoreError, match="not a packed position"):
        unpack_simply(code)
