from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chess_motif.captures import MATED, settled_balance, settles_at_least
from chess_motif.material import material_balance
from puzzlegen.verify.ending import without_last_exchange
from tests.helpers.solutions import parsed


@pytest.mark.parametrize(
    ("fen", "settled"),
    [
        # Nothing hangs: White stays a rook ahead.
        ("4k3/8/8/8/8/8/8/R3K3 b - - 0 1", 5),
        # The rook can be taken for nothing.
        ("4k3/8/8/8/8/1n6/8/R3K3 b - - 0 1", -3),
        # A defended rook is worth more than the knight that takes it: 5 for 3.
        ("4k3/8/8/8/8/1n6/8/R2QK3 b - - 0 1", 9),
        # The queen may take a defended pawn, but had better not.
        ("4k3/8/3p4/4p3/8/8/4Q3/4K3 w - - 0 1", 7),
        # A pawn about to promote counts as what it becomes.
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", 9),
        # It is Black's turn, and the promotion square is out of reach: still a pawn.
        ("4k3/P7/8/8/8/8/8/4K3 b - - 0 1", 1),
        # In check, Black has to move the king, and the rook stays where it is.
        ("4k3/8/8/8/8/8/4R3/K6q b - - 0 1", -4),
    ],
)
def test_settled_balance_for_white(fen: str, settled: int) -> None:
    assert settled_balance(chess.Board(fen), chess.WHITE) == settled


def test_a_fork_with_check_wins_what_it_forks() -> None:
    board = chess.Board("q3k3/2N5/8/8/8/8/8/4K3 b - - 0 1")
    assert settled_balance(board, chess.WHITE) == 3


def test_mate_is_more_than_material() -> None:
    board = chess.Board("R5k1/5ppp/8/8/8/8/7q/4K3 b - - 0 1")
    assert settled_balance(board, chess.WHITE) == MATED


def play(numbers: list[int]) -> chess.Board:
    board = chess.Board()
    for number in numbers:
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(moves[number % len(moves)])
    return board


POSITIONS = st.lists(st.integers(0, 200), max_size=60).map(play)


@given(POSITIONS)
def test_what_one_side_has_the_other_lacks(board: chess.Board) -> None:
    assert settled_balance(board, chess.WHITE) == -settled_balance(board, chess.BLACK)


@given(POSITIONS)
def test_colours_do_not_matter(board: chess.Board) -> None:
    assert settled_balance(board, chess.WHITE) == settled_balance(board.mirror(), chess.BLACK)


@given(POSITIONS)
def test_the_side_to_move_need_not_capture(board: chess.Board) -> None:
    if not board.is_check():
        assert settled_balance(board, board.turn) >= material_balance(board, board.turn)


@given(POSITIONS, st.sampled_from([chess.WHITE, chess.BLACK]), st.integers(-12, 12))
def test_a_bound_agrees_with_the_value(board: chess.Board, side: chess.Color, balance: int) -> None:
    assert settles_at_least(board, side, balance) == (settled_balance(board, side) >= balance)


def test_a_board_full_of_queens_is_settled_soon() -> None:
    # Without a limit, this takes minutes.
    board = chess.Board("k1qQqQqQ/2QqQqQq/1qQqQqQq/QqQqQqQ1/qQqQqQq1/8/8/7K w - - 0 1")
    assert -MATED <= settled_balance(board, chess.WHITE) <= MATED


@pytest.mark.parametrize(
    ("moves", "left"),
    [
        ("c8b8 b7a7 b8b4 a7c5 d6c5", "c8b8 b7a7 b8b4"),
        # Nothing takes back on b4, and a line has a move.
        ("c8b8 b7a7 b8b4", "c8b8 b7a7 b8b4"),
        ("d6d4", "d6d4"),
    ],
)
def test_a_line_does_not_end_in_the_middle_of_an_exchange(moves: str, left: str) -> None:
    position, line = parsed("2r1r1k1/pQ4p1/3qp2p/P7/1N1P4/2p5/5PPP/4RRK1 b - - 1 28", moves)
    assert " ".join(move.uci() for move in without_last_exchange(position, tuple(line))) == left
