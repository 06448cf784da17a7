"""The order of positions in a file."""

from __future__ import annotations

from itertools import pairwise

import chess
import pytest
from hypothesis import given

from db.packed.position import KEY_BYTES, MATERIAL_BYTES, after_captures, material_key, sort_key
from tests.helpers.random_games import games

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
