"""What is drawn of the answer to a wrong move."""

from __future__ import annotations

import chess
import pytest

from chess_motif.pages.boards import Role
from motifsearch.web.unsolved import _refuting


@pytest.mark.parametrize(
    ("fen", "move", "attacked"),
    [
        # A bishop is worth no more than the knight, so that a defended one can stay.
        ("6k1/8/8/4n3/8/8/8/R1B1R1K1 b - - 0 1", "e5d3", ["e1"]),
        ("6k1/8/8/4n3/8/8/5R2/2B3K1 b - - 0 1", "e5d3", ["c1", "f2"]),
        ("6k1/8/8/4b3/8/8/RN6/6K1 b - - 0 1", "e5d4", ["g1"]),
    ],
)
def test_only_what_is_worth_more_or_undefended_is_attacked(fen: str, move: str, attacked: list[str]) -> None:
    arrows = _refuting(chess.Board(fen), [move])
    found = [chess.square_name(arrow.head) for arrow in arrows if arrow.role is Role.ATTACK]
    assert found == attacked
