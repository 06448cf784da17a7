"""The goals of a solution, and where its pieces are."""

from __future__ import annotations

import chess
import pytest

from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.goal import Pieces
from puzzlegen.reasons.reason import Reasons
from tests.helpers import reason_cases as cases
from tests.helpers.solutions import parsed


@pytest.mark.parametrize(
    ("solution", "goals"),
    [
        pytest.param(cases.MATE_IN_ONE, ["mate"], id="mate"),
        pytest.param(cases.KNIGHT_LURED, ["promote"], id="a promotion"),
        pytest.param(cases.FORK, ["check", "capture"], id="a check, then a capture"),
        pytest.param(cases.EN_PASSANT, ["capture", "capture"], id="a capture en passant"),
        pytest.param(cases.MATE_THREATENED, ["threatened mate"], id="mate threatened at the end"),
        pytest.param(cases.QUEEN_PINNED, ["capture"], id="nothing to threaten at the end"),
    ],
)
def test_goals(solution: tuple[str, str], goals: list[str]) -> None:
    found = Reasons(Replay(*parsed(*solution))).goals
    assert [f"{'threatened ' if goal.threatened else ''}{goal.aim}" for goal in found] == goals


@pytest.mark.parametrize(
    ("solution", "ply"),
    [
        pytest.param(cases.SMOTHERED, 4, id="mate"),
        pytest.param(cases.WAY_MADE, 2, id="a promotion before a capture"),
        pytest.param(cases.FORK, 2, id="what wins most"),
        pytest.param(cases.DEFENDER_EXCHANGED, 2, id="not what is recaptured"),
    ],
)
def test_the_goal_that_decides(solution: tuple[str, str], ply: int) -> None:
    decisive = Reasons(Replay(*parsed(*solution))).decisive
    assert decisive is not None
    assert decisive.number == ply


def test_a_solution_without_a_goal_has_none_that_decides() -> None:
    assert Reasons(Replay(*parsed("8/8/8/8/8/1k6/7P/K7 w - - 0 1", "h2h3"))).decisive is None


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
