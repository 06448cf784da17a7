"""Moves that check or mate are found without trying all moves, and what a diagram does not show is said."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given

from chess_motif.boards import checks, has_mate, mates, mating_moves, rights
from chess_motif.notation import parse_line
from tests.helpers.random_games import games
from tests.helpers.solutions import colours_swapped


@given(games())
def test_checks_are_the_legal_moves_that_give_check(boards: list[chess.Board]) -> None:
    for board in filter(chess.Board.is_valid, boards):
        found = list(checks(board))
        assert len(found) == len(set(found))
        assert set(found) == {move for move in board.legal_moves if board.gives_check(move)}


@given(games())
def test_mating_moves_are_the_legal_moves_that_mate(boards: list[chess.Board]) -> None:
    for board in filter(chess.Board.is_valid, boards):
        mating = {move for move in board.legal_moves if mates(board, move)}
        assert set(mating_moves(board)) == mating
        assert has_mate(board) == bool(mating)


@pytest.mark.parametrize(
    ("fen", "move"),
    [
        pytest.param("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "a1a8", id="on the back rank"),
        pytest.param("8/8/8/8/8/5k1P/4R3/R3K2R w KQ - 0 1", "e1g1", id="castling"),
        pytest.param("8/8/8/1k1pP2Q/8/8/8/K7 w - d6 0 1", "e5d6", id="en passant opens a rank"),
        pytest.param("4k3/8/3P4/8/8/8/4P3/4R2K w - - 0 1", "d6d7", id="by a pawn"),
        pytest.param("8/4P3/4k3/8/8/8/8/K7 w - - 0 1", "e7e8q", id="a new queen behind its pawn"),
        pytest.param("4k3/8/8/8/8/8/4K3/4R3 w - - 0 1", "e2d2", id="the king opens a file"),
    ],
)
def test_a_check_is_found(fen: str, move: str) -> None:
    assert chess.Move.from_uci(move) in checks(chess.Board(fen))


@pytest.mark.parametrize(
    ("fen", "line", "said"),
    [
        pytest.param(
            "8/8/8/8/8/5k1P/4R3/R3K2R w KQ - 0 1",
            "e1g1",
            "White may still castle on either side.",
            id="played",
        ),
        pytest.param(
            "r3k2r/8/8/8/8/8/8/4K2R w Kkq - 0 1",
            "h1h8",
            "White may still castle kingside. Black may still castle on either side.",
            id="possible instead",
        ),
        pytest.param(
            "r3k3/8/8/8/8/8/7R/4K3 w q - 0 1",
            "h2h5 e8e7",
            "Black may still castle queenside.",
            id="a defence",
        ),
        pytest.param("r3k3/8/8/8/8/8/7R/4K3 w q - 0 1", "h2h5", "", id="only after the line"),
        pytest.param("rn2k3/8/8/8/8/8/7R/4K3 w q - 0 1", "h2h5 e8e7", "", id="not possible"),
        pytest.param("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "h1h8", "", id="no right"),
        pytest.param(
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "Black's last move was d7-d5.", id="en passant"
        ),
        pytest.param(
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e1d2", "Black's last move was d7-d5.", id="or not"
        ),
        pytest.param("8/8/8/K2pP2q/8/8/8/k7 w - d6 0 1", "a5b5", "", id="pinned"),
        pytest.param("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1", "e1d2", "", id="no pawn that takes"),
    ],
)
def test_what_a_diagram_does_not_show_is_said_if_it_matters(fen: str, line: str, said: str) -> None:
    board = chess.Board(fen)
    moves = list(parse_line(board, line))
    assert rights(board, moves) == said
    swapped = {"White": "Black", "Black": "White", "Black's": "White's", "d7-d5.": "d2-d4."}
    words = [swapped.get(word, word) for word in said.split()]
    assert rights(*colours_swapped((board, moves))) == " ".join(words)
