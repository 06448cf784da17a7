"""Positions as bytes, and back, and their order in a file."""

from __future__ import annotations

from itertools import pairwise

import chess
import pytest
from hypothesis import given

from chess_motif.errors import StoreError
from db.packed.position import (
    KEY_BYTES,
    MATERIAL_BYTES,
    SIMPLE_BYTES,
    after_captures,
    en_passant_of,
    en_passant_squares,
    identity,
    material_key,
    pack_simply,
    sort_key,
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


ROOK_AGAINST_PAWN = chess.Board("4k3/4p3/8/8/8/8/8/R3K3 w - - 0 1")


def test_the_material_counts_the_pieces_of_white_then_black() -> None:
    assert material_key(chess.Board()) == bytes([1, 2, 2, 2, 8, 1, 2, 2, 2, 8])
    assert material_key(ROOK_AGAINST_PAWN) == bytes([0, 1, 0, 0, 0, 0, 0, 0, 0, 1])


def test_each_capture_takes_one_piece_away() -> None:
    rook, pawn, neither = bytes([0, 1, *[0] * 8]), bytes([*[0] * 9, 1]), bytes(MATERIAL_BYTES)
    both = material_key(ROOK_AGAINST_PAWN)
    assert after_captures(both, 0) == [both]
    assert after_captures(both, 1) == [both, pawn, rook]
    assert after_captures(both, 2) == [both, pawn, rook, neither]
    assert after_captures(both, 3) == [both, pawn, rook, neither]


@pytest.mark.parametrize("captures", [1, 2, 3])
def test_no_material_comes_twice(captures: int) -> None:
    found = after_captures(material_key(chess.Board()), captures)
    assert len(found) == len(set(found))
    assert {32 - 2 - sum(material) for material in found} == set(range(captures + 1))


@given(boards=games())
def test_only_pawns_and_captures_change_the_order(boards: list[chess.Board]) -> None:
    for before, after in pairwise(boards):
        move = after.peek()
        changes = before.is_zeroing(move)
        assert len(sort_key(before)) == KEY_BYTES
        assert (sort_key(before) != sort_key(after)) == changes
