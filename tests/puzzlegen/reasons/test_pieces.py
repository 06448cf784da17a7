"""Pieces are followed through castling, captures en passant and promotions."""

from __future__ import annotations

import chess
import pytest

from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.goal import Pieces
from tests.helpers import reason_cases as cases
from tests.helpers.solutions import parsed


def pieces(solution: tuple[str, str]) -> Pieces:
    return Pieces(Replay(*parsed(*solution)))


@pytest.mark.parametrize(
    ("solution", "piece", "number", "square"),
    [
        pytest.param(cases.CASTLED, chess.A8, 1, chess.D8, id="a rook that castles queenside"),
        pytest.param(cases.CASTLED, chess.E8, 1, chess.C8, id="a king that castles"),
        pytest.param(cases.CASTLING, chess.H1, 1, chess.F1, id="a rook that castles kingside"),
        pytest.param(cases.EN_PASSANT, chess.C5, 1, None, id="a pawn captured en passant"),
        pytest.param(cases.EN_PASSANT, chess.D5, 1, chess.C6, id="a pawn that captures en passant"),
        pytest.param(cases.KING_LURED, chess.G7, 1, chess.G8, id="a pawn that promotes"),
        pytest.param(cases.KING_LURED, chess.G7, 2, None, id="a new queen that is captured"),
        pytest.param(cases.KING_LURED, chess.E1, 2, chess.E1, id="a rook that stays"),
    ],
)
def test_where_a_piece_is(
    solution: tuple[str, str], piece: chess.Square, number: int, square: chess.Square | None
) -> None:
    assert pieces(solution).square(number, piece) == square


def test_a_piece_on_the_square_of_a_captured_one_is_another() -> None:
    assert pieces(cases.KING_LURED).on(2, chess.G8) == chess.H7


@pytest.mark.parametrize(
    ("piece", "number", "last"),
    [(chess.H7, 2, (1, chess.H7)), (chess.H7, 1, None), (chess.E1, 3, (2, chess.E1))],
)
def test_the_last_move_of_a_piece(
    piece: chess.Square, number: int, last: tuple[int, chess.Square] | None
) -> None:
    assert pieces(cases.KING_LURED).last_move(number, piece) == last
