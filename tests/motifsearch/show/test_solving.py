"""What is asked of somebody who solves in a terminal."""

from __future__ import annotations

from motifsearch.show.solving import board_text
from motifsearch.trainer.solving import Solving
from tests.helpers.sheet_puzzles import named


def test_each_position_says_who_may_castle_if_it_matters() -> None:
    solving = Solving(named("fork"))
    said = "White may still castle kingside. Black may still castle on either side."
    assert board_text(solving).endswith(f"\nWhite to move, find the best move\n{said}")
    solving.play("Nxc7+")
    assert board_text(solving).endswith("\nWhite may still castle kingside.")


def test_where_nobody_may_castle_nothing_is_said() -> None:
    assert board_text(Solving(named("back rank"))).endswith("\nWhite to move, find the best move")
