"""Rules against throwing a game away: positions for and against each."""

from __future__ import annotations

import chess
import pytest

from motifsearch.retrieval.engine import PATIENCE, Concern, cautious, concern


def of(fen: str, san: str) -> Concern:
    board = chess.Board(fen)
    return concern(board, board.parse_san(san))


@pytest.mark.parametrize(
    ("fen", "san", "expected"),
    [
        # Back rank: leaving it to take a pawn allows Rd1.
        ("3r2k1/5ppp/8/8/8/8/p4PPP/R5K1 w - - 0 1", "Rxa2", Concern.ALLOWS_MATE),
        ("3r2k1/5ppp/8/8/8/8/p4PPP/R5K1 w - - 0 1", "h3", Concern.NONE),
        # Stalemate with a queen ahead.
        ("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "Qc7", Concern.DRAWS),
        ("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "Qc2", Concern.NONE),
        # The losing side is glad of a stalemate, and of bare kings.
        ("7K/8/8/8/8/8/5q1k/8 w - - 0 1", "Kh7", Concern.NONE),
        # Taking the last piece of the opponent, but losing the own pawn's chance: a bishop cannot win.
        ("8/8/8/8/8/2k5/p7/B2K4 w - - 0 1", "Kc1", Concern.NONE),
        # A queen that only moves about.
        (f"k7/8/8/8/8/8/1P6/K1Q5 w - - {PATIENCE} 90", "Qd1", Concern.NO_PROGRESS),
        (f"k7/8/8/8/8/8/1P6/K1Q5 w - - {PATIENCE} 90", "b4", Concern.NONE),
        (f"k7/8/8/8/8/8/1P6/K1Q5 w - - {PATIENCE - 1} 90", "Qd1", Concern.NONE),
        # With little ahead, a draw is nothing to avoid.
        (f"kr6/8/8/8/8/8/1P6/K1R5 w - - {PATIENCE} 90", "Rd1", Concern.NONE),
    ],
)
def test_concern(fen: str, san: str, expected: Concern) -> None:
    assert of(fen, san) == expected


def test_a_position_is_not_repeated_when_winning() -> None:
    board = chess.Board("k7/8/8/8/8/8/8/K1Q5 w - - 0 1")
    for san in ("Qd1", "Ka7", "Qc1"):
        board.push_san(san)
    board.push_san("Ka8")
    assert concern(board, board.parse_san("Qd1")) == Concern.DRAWS


def test_a_position_may_be_repeated_when_losing() -> None:
    board = chess.Board("k7/8/8/8/8/8/8/K1Q5 w - - 0 1")
    for san in ("Qd1", "Ka7", "Qc1"):
        board.push_san(san)
    assert concern(board, board.parse_san("Ka8")) == Concern.NONE


def test_mate_comes_first() -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    moves = sorted(board.legal_moves, key=chess.Move.uci, reverse=True)
    assert board.san(cautious(board, moves)[0]) == "Ra8#"


def test_moves_of_no_concern_stay_in_order() -> None:
    board = chess.Board()
    moves = list(board.legal_moves)
    assert cautious(board, moves) == moves


def test_the_board_is_unchanged() -> None:
    board = chess.Board("3r2k1/5ppp/8/8/8/8/p4PPP/R5K1 w - - 0 1")
    cautious(board, list(board.legal_moves))
    assert board == chess.Board("3r2k1/5ppp/8/8/8/8/p4PPP/R5K1 w - - 0 1")
