"""What solves a puzzle, and what does not."""

from __future__ import annotations

import chess
import pytest

from chess_motif.errors import PositionError
from db.models import Kind, Puzzle
from motifsearch.trainer.solving import Feedback, Solving
from tests.helpers.rows import puzzle_row


def puzzle(fen: str, solution: str, accepted: str = "") -> Puzzle:
    kind = Kind.EXERCISE if accepted else Kind.PUZZLE
    return puzzle_row("id", kind=kind, fen=fen, puzzle_fen=fen, solution=solution, accepted=accepted)


# Qe8+ sacrifices the queen, and the rook mates.
BACK_RANK = puzzle("3r2k1/5ppp/8/8/8/8/4QPPP/4R1K1 w - - 0 1", "e2e8 d8e8 e1e8")
# Either piece may take the queen.
HANGING = puzzle("4k3/8/8/3q4/8/2N5/5PPP/3RK3 w - - 0 1", "c3d5 e8d8 d5e3", "c3d5 d1d5")


@pytest.mark.parametrize(("first", "second"), [("Qe8+", "Rxe8#"), ("e2e8", "e1e8"), ("1. Qe8", "2. Rxe8")])
def test_a_puzzle_is_solved_move_by_move(first: str, second: str) -> None:
    solving = Solving(BACK_RANK)
    assert solving.play(first) is Feedback.RIGHT
    assert solving.reply == chess.Move.from_uci("d8e8")
    assert solving.play(second) is Feedback.SOLVED
    assert solving.right


def test_a_wrong_move_may_be_followed_by_the_right_one() -> None:
    solving = Solving(BACK_RANK)
    assert solving.play("Qe7") is Feedback.WRONG
    assert solving.board == BACK_RANK.position()
    solving.play("Qe8")
    solving.play("Rxe8")
    assert solving.solved
    assert not solving.right


def test_what_is_no_move_is_no_mistake() -> None:
    solving = Solving(BACK_RANK)
    for text in ("", "Qe9", "Qa8", "e2e8 d8e8"):
        with pytest.raises(PositionError):
            solving.play(text)
    assert solving.mistakes == 0


def test_any_mate_solves_a_puzzle() -> None:
    two_mates = puzzle("6k1/5ppp/8/8/8/8/8/RR4K1 w - - 0 1", "a1a8")
    assert Solving(two_mates).play("Rb8#") is Feedback.SOLVED


@pytest.mark.parametrize("move", ["Nxd5", "Rxd5"])
def test_any_accepted_move_solves_an_exercise(move: str) -> None:
    assert Solving(HANGING).play(move) is Feedback.SOLVED


def test_another_move_does_not_solve_an_exercise() -> None:
    assert Solving(HANGING).play("Ke2") is Feedback.WRONG


def test_hints_say_more_each_time() -> None:
    solving = Solving(BACK_RANK)
    assert solving.hint() == "the queen on e2"
    assert solving.hint() == "the queen on e2 goes to e8"
    solving.play("Qe8")
    assert solving.hint().startswith("the rook on e1")
