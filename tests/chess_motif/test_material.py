"""Material: its balance, and as a word."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given

from chess_motif.errors import InputError
from chess_motif.material import capture_by, capture_in, material_balance, material_of, parse_material
from tests.helpers.solutions import Solution, random_lines


@pytest.mark.parametrize("text", ["KRPP-KBP", "pRkp-pbK"])
def test_any_case_and_order(text: str) -> None:
    assert parse_material(text) == "KRPP-KBP"


@pytest.mark.parametrize("word", [material_of(chess.Board()), "K-K", "KQQRRBBNNPPPPPPP-KPPPPPPPP"])
def test_a_word_stays_as_it_is(word: str) -> None:
    assert parse_material(word) == word


def test_material_is_counted_by_side() -> None:
    assert material_of(chess.Board("4k3/8/2n5/8/8/2Q5/PP6/R3K2R w KQ - 0 1")) == "KQRRPP-KN"


@pytest.mark.parametrize(
    "text", ["", "-", "KR", "KR-R", "KK-K", "KA-K", "K-K-K", "KPPPPPPPPP-K", "KvK", "K-KNNNNNNNNNNNNNNNN"]
)
def test_what_is_no_material(text: str) -> None:
    with pytest.raises(InputError, match="KRPP-KBP"):
        parse_material(text)


def test_the_balance_is_counted_in_pawns_and_seen_from_either_side() -> None:
    board = chess.Board("q3k3/2N5/8/8/8/8/8/4K3 b - - 0 1")
    assert material_balance(board, chess.WHITE) == -6
    assert material_balance(board, chess.BLACK) == 6


CASTLED = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
EN_PASSANT = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"


def assert_same_captures(board: chess.Board) -> None:
    fen = board.fen()
    assert {move: capture_in(fen, move.uci()) for move in board.legal_moves} == {
        move: capture_by(board, move) for move in board.legal_moves
    }


@pytest.mark.parametrize("fen", [CASTLED, EN_PASSANT])
def test_special_moves_capture_the_same_in_text(fen: str) -> None:
    assert_same_captures(chess.Board(fen))


@given(random_lines())
def test_what_a_move_captures_is_the_same_in_text(line: Solution) -> None:
    assert_same_captures(line[0])
