"""The blunder check: what is a blunder and what is none, and the order that it makes."""

from __future__ import annotations

import chess
import pytest

from motifsearch.retrieval.decision import PATIENCE, Blunder, blunder_of, blunders_last


@pytest.mark.parametrize(
    ("fen", "san", "expected"),
    [
        # Back rank: leaving it to take a pawn allows Rd1.
        ("3r2k1/5ppp/8/8/8/8/p4PPP/R5K1 w - - 0 1", "Rxa2", Blunder.ALLOWS_MATE),
        ("3r2k1/5ppp/8/8/8/8/p4PPP/R5K1 w - - 0 1", "h3", Blunder.NONE),
        # Stalemate with a queen ahead.
        ("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "Qc7", Blunder.DRAWS),
        ("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "Qc2", Blunder.NONE),
        # The losing side is glad of a stalemate, and of bare kings.
        ("7K/8/8/8/8/8/5q1k/8 w - - 0 1", "Kh7", Blunder.NONE),
        # Taking the last piece of the opponent, but losing the own pawn's chance: a bishop cannot win.
        ("8/8/8/8/8/2k5/p7/B2K4 w - - 0 1", "Kc1", Blunder.NONE),
        # A queen that only moves about.
        (f"k7/8/8/8/8/8/1P6/K1Q5 w - - {PATIENCE} 90", "Qd1", Blunder.NO_PROGRESS),
        (f"k7/8/8/8/8/8/1P6/K1Q5 w - - {PATIENCE} 90", "b4", Blunder.NONE),
        (f"k7/8/8/8/8/8/1P6/K1Q5 w - - {PATIENCE - 1} 90", "Qd1", Blunder.NONE),
        # With little ahead, a draw is nothing to avoid.
        (f"kr6/8/8/8/8/8/1P6/K1R5 w - - {PATIENCE} 90", "Rd1", Blunder.NONE),
    ],
)
def test_blunders(fen: str, san: str, expected: Blunder) -> None:
    board = chess.Board(fen)
    assert blunder_of(board, board.parse_san(san)) == expected


@pytest.mark.parametrize(
    ("played", "san", "expected"),
    [
        pytest.param("Qd1 Ka7 Qc1 Ka8", "Qd1", Blunder.DRAWS, id="when winning"),
        pytest.param("Qd1 Ka7 Qc1", "Ka8", Blunder.NONE, id="when losing"),
    ],
)
def test_a_position_that_is_repeated(played: str, san: str, expected: Blunder) -> None:
    board = chess.Board("k7/8/8/8/8/8/8/K1Q5 w - - 0 1")
    for move in played.split():
        board.push_san(move)
    assert blunder_of(board, board.parse_san(san)) == expected


def test_mate_comes_first() -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    moves = sorted(board.legal_moves, key=chess.Move.uci, reverse=True)
    assert board.san(blunders_last(board, moves)[0]) == "Ra8#"


def test_moves_that_are_no_blunders_stay_in_order() -> None:
    board = chess.Board()
    moves = list(board.legal_moves)
    assert blunders_last(board, moves) == moves


def test_the_board_is_unchanged() -> None:
    board = chess.Board("3r2k1/5ppp/8/8/8/8/p4PPP/R5K1 w - - 0 1")
    blunders_last(board, list(board.legal_moves))
    assert board == chess.Board("3r2k1/5ppp/8/8/8/8/p4PPP/R5K1 w - - 0 1")
