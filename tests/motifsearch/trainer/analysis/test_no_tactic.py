"""What is no tactic, in positions from games: what only takes back, and what only saves a piece."""

from __future__ import annotations

import chess
import pytest

from motifsearch.trainer.analysis.no_tactic import only_takes_back, saves_a_piece


def takes_back(fen: str, before: str, line: str) -> bool:
    """Return whether a line only takes back; `before` are the moves before it, from the position on."""
    moves = [chess.Move.from_uci(move) for move in before.split()]
    boards = [chess.Board(fen)]
    for move in moves:
        boards.append(boards[-1].copy())
        boards[-1].push(move)
    return only_takes_back(boards, moves, len(moves), [chess.Move.from_uci(move) for move in line.split()])


@pytest.mark.parametrize(
    ("what", "fen", "before", "line", "expected"),
    [
        ("at once", "4k3/8/4p3/3n4/8/2N5/8/3RK3 w - - 0 1", "c3d5", "e6d5 d1d5", True),
        ("a queen for a pawn", "4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1", "d1d5", "e6d5", False),
        ("after a check", "4k3/8/4p2r/3n4/8/2N5/8/3RK3 w - - 0 1", "c3d5 h6h1 e1e2", "e6d5", True),
        ("of what has gone on", "4k3/8/4p2r/3n4/8/2N5/8/3RK3 w - - 0 1", "c3d5 h6h1 d5f4", "h1d1", False),
        ("and more", "4k3/8/4p3/3n4/5r2/2N5/8/3RK3 w - - 0 1", "c3d5", "e6d5 d1d5 f4f1", True),
        (
            "not possible before",
            "r1bq1rk1/pp3pbp/3p1np1/2p3B1/2PQ4/2N3P1/PP2PPBP/R4RK1 w - - 0 11",
            "g5f6",
            "c5d4 f6d8 d4c3 d8c7 c3b2",
            False,
        ),
    ],
)
def test_what_only_takes_back(what: str, fen: str, before: str, line: str, *, expected: bool) -> None:
    assert takes_back(fen, before, line) is expected


# A queen attacks the rook on f3.
ROOK = "r2q2k1/6pp/p1nb4/1p2p3/4P3/2P2rP1/PP2QP2/2BRR1K1 b - - 1 21"


@pytest.mark.parametrize(
    ("move", "saves"),
    [
        ("f3f7", True),
        # It takes a pawn; another piece moves; that one is not attacked.
        ("f3g3", False),
        ("d8f6", False),
        ("g8h8", False),
    ],
)
def test_a_move_that_only_saves_a_piece(move: str, saves: bool) -> None:
    assert saves_a_piece(chess.Board(ROOK), chess.Move.from_uci(move)) is saves


def test_a_check_does_more_than_to_save_a_piece() -> None:
    board = chess.Board("4k3/8/8/8/8/4b3/3R4/4K3 w - - 0 1")
    assert saves_a_piece(board, chess.Move.from_uci("d2d4"))
    assert not saves_a_piece(board, chess.Move.from_uci("d2d8"))
