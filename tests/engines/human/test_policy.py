"""Which entry of the policy is which move."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given

from engines.human.planes import DIRECTIONS, KNIGHT_MOVES, POLICY_SIZE, PROMOTIONS, policy_index
from tests.helpers.random_games import games


def decoded(board: chess.Board, index: int) -> tuple[int, int, int | None]:
    """Return the squares and the promotion of an entry, as its plane describes them."""
    plane, origin = divmod(index, 64)
    promotion = None
    if plane < 56:
        east, north = ((plane % 7 + 1) * step for step in DIRECTIONS[plane // 7])
    elif plane < 64:
        east, north = KNIGHT_MOVES[plane - 56]
    else:
        (east, promotion), north = PROMOTIONS[plane - 64], 1
    target = chess.square(chess.square_file(origin) + east, chess.square_rank(origin) + north)
    if board.turn == chess.BLACK:
        origin, target = chess.square_mirror(origin), chess.square_mirror(target)
    return origin, target, promotion


def described(board: chess.Board, move: chess.Move) -> tuple[int, int, int | None]:
    """Return the same for a move: castling ends on the rook, and a knight is not named."""
    target = move.to_square
    if board.is_castling(move):
        target = chess.square(7 if board.is_kingside_castling(move) else 0, chess.square_rank(target))
    return move.from_square, target, None if move.promotion == chess.KNIGHT else move.promotion


@given(games())
def test_an_entry_is_the_move_that_it_was_made_from(boards: list[chess.Board]) -> None:
    for board in boards:
        for move in board.legal_moves:
            assert decoded(board, policy_index(board, move)) == described(board, move)


@given(games())
def test_each_legal_move_has_an_entry_of_its_own(boards: list[chess.Board]) -> None:
    for board in boards:
        indexes = [policy_index(board, move) for move in board.legal_moves]
        assert len(set(indexes)) == len(indexes)
        assert all(0 <= index < POLICY_SIZE for index in indexes)


@pytest.mark.parametrize(
    ("fen", "move", "plane", "square"),
    [
        (chess.STARTING_FEN, "e2e4", 1, chess.E2),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", 6, chess.A1),
        ("4k3/8/8/8/8/8/8/4K2B w - - 0 1", "h1a8", 55, chess.H1),
        ("4k3/8/8/8/8/8/8/4K2b b - - 0 1", "h1g2", 35, chess.H8),
        (chess.STARTING_FEN, "b1c3", 56, chess.B1),
        (chess.STARTING_FEN, "g1f3", 63, chess.G1),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", 16, chess.E1),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", 45, chess.E1),
        ("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", "e8g8", 16, chess.E1),
        ("4k3/8/8/8/8/8/8/K3R3 w - - 0 1", "e1g1", 15, chess.E1),
        ("3n4/4P3/8/8/8/8/k7/4K3 w - - 0 1", "e7d8r", 64, chess.E7),
        ("3n4/4P3/8/8/8/8/k7/4K3 w - - 0 1", "e7e8b", 68, chess.E7),
        ("3n4/4P3/8/8/8/8/k7/4K3 w - - 0 1", "e7e8n", 0, chess.E7),
        ("4k3/8/8/8/K7/8/4p3/5N2 b - - 0 1", "e2f1q", 72, chess.E7),
    ],
)
def test_moves_have_these_planes(fen: str, move: str, plane: int, square: int) -> None:
    assert divmod(policy_index(chess.Board(fen), chess.Move.from_uci(move)), 64) == (plane, square)
