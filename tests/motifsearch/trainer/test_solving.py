"""What solves a puzzle, and when it is due again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import chess
import pytest
from sqlalchemy import select

from chess_motif.errors import PositionError
from db.models import Kind, Puzzle
from db.store import Store
from db.training import Attempt
from motifsearch.trainer.solving import Feedback, Solving, due, record_attempt
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
    assert solving.board.peek() == chess.Move.from_uci("d8e8")
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


NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
PUZZLES = [puzzle_row(name) for name in ("one", "two", "three")]


def ids(puzzles: tuple[Puzzle, ...]) -> list[str]:
    return [puzzle.id for puzzle in puzzles]


def interval(store: Store, name: str, *, right: bool, hinted: bool = False) -> timedelta:
    return record_attempt(store, "Ann", name, right=right, hinted=hinted, seconds=5, at=NOW) - NOW


def test_what_was_wrong_comes_again_first(store: Store) -> None:
    wrong, hinted = interval(store, "one", right=False), interval(store, "two", right=True, hinted=True)
    right = interval(store, "three", right=True)
    assert wrong <= hinted < right


def test_what_is_right_again_stays_away_longer(store: Store) -> None:
    first = interval(store, "one", right=True)
    second = record_attempt(store, "Ann", "one", right=True, seconds=5, at=NOW + first) - (NOW + first)
    assert second > first


def test_what_is_due_and_what_is_new(store: Store) -> None:
    record_attempt(store, "Ann", "two", right=True, seconds=5, at=NOW)
    with store.reading() as session:
        today = due(session, "Ann", PUZZLES, NOW)
        assert (ids(today.again), ids(today.new)) == ([], ["one", "three"])
        assert today.later is not None
        later = due(session, "Ann", PUZZLES, today.later)
        assert (ids(later.again), ids(later.new), later.later) == (["two"], ["one", "three"], None)


def test_the_longest_overdue_comes_first(store: Store) -> None:
    for day, name in enumerate(["three", "one"]):
        record_attempt(store, "Ann", name, right=False, seconds=5, at=NOW + timedelta(days=day))
    with store.reading() as session:
        assert ids(due(session, "Ann", PUZZLES, NOW + timedelta(days=90)).again) == ["three", "one"]


def test_solvers_do_not_disturb_one_another(store: Store) -> None:
    record_attempt(store, "Bob", "one", right=True, seconds=5, at=NOW)
    with store.reading() as session:
        assert ids(due(session, "Ann", PUZZLES, NOW).new) == ["one", "two", "three"]


def test_every_attempt_is_stored(store: Store) -> None:
    record_attempt(store, "Ann", "one", right=False, seconds=7.5, at=NOW)
    record_attempt(store, "Ann", "one", right=True, seconds=3, at=NOW + timedelta(days=1))
    with store.reading() as session:
        attempts = session.scalars(select(Attempt).order_by(Attempt.number)).all()
        assert [(one.right, one.seconds) for one in attempts] == [(False, 7.5), (True, 3)]
