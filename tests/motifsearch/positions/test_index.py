"""Which positions belong to the opening: by the number of their move or, without one, by their pieces."""

from __future__ import annotations

import chess
import pytest

from chess_motif.errors import StoreError
from db.store import Store, set_fact
from motifsearch.positions.index import FACT, is_opening, opening_moves
from tests.helpers.sample_games import ENDGAME_START, IN_RUY_LOPEZ

NAJDORF = "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6"


@pytest.mark.parametrize(
    ("fen", "opening", "move", "expected"),
    [
        # The number of the move decides.
        (ENDGAME_START, 12, 12, True),
        (ENDGAME_START, 12, 13, False),
        # Without it, the pieces do.
        (chess.STARTING_FEN, 12, None, True),
        (NAJDORF, 12, None, True),
        (NAJDORF, 3, None, False),
        (NAJDORF, 0, None, False),
        (IN_RUY_LOPEZ, 12, None, False),
        (IN_RUY_LOPEZ, 40, None, False),
        (ENDGAME_START, 12, None, False),
        (ENDGAME_START, 40, None, False),
    ],
)
def test_which_positions_belong_to_the_opening(
    fen: str, opening: int, move: int | None, expected: bool
) -> None:
    assert is_opening(chess.Board(fen), opening, move) is expected


def test_a_number_of_moves_that_is_damaged(sqlite_store: Store) -> None:
    with sqlite_store.session() as session:
        set_fact(session, FACT, "twelve")
    with pytest.raises(StoreError, match="'twelve'"):
        opening_moves(sqlite_store)
