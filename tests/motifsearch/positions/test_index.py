"""Which positions belong to the opening: by the number of their move or, without one, by their pieces."""

from __future__ import annotations

import chess
import pytest

from chess_motif.errors import StoreError
from db.store import Store, set_fact
from motifsearch.positions.index import FACT, is_opening, opening_moves
from tests.helpers.sample_games import ENDGAME_START, IN_RUY_LOPEZ


def after(moves: str) -> chess.Board:
    board = chess.Board()
    for san in moves.split():
        board.push_san(san)
    return board


@pytest.mark.parametrize(("move", "expected"), [(12, True), (13, False)])
def test_the_number_of_the_move_decides(move: int, expected: bool) -> None:
    assert is_opening(chess.Board(ENDGAME_START), 12, move) is expected


@pytest.mark.parametrize(
    ("moves", "opening", "expected"),
    [
        ("", 12, True),
        ("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6", 12, True),
        ("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6", 3, False),
        ("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6", 0, False),
    ],
)
def test_without_a_number_the_pieces_decide(moves: str, opening: int, expected: bool) -> None:
    assert is_opening(after(moves), opening) is expected


@pytest.mark.parametrize("fen", [ENDGAME_START, IN_RUY_LOPEZ])
@pytest.mark.parametrize("opening", [12, 40])
def test_later_positions_are_no_opening(fen: str, opening: int) -> None:
    assert not is_opening(chess.Board(fen), opening)


def test_a_number_of_moves_that_is_damaged(sqlite_store: Store) -> None:
    with sqlite_store.session() as session:
        set_fact(session, FACT, "twelve")
    with pytest.raises(StoreError, match="'twelve'"):
        opening_moves(sqlite_store)
