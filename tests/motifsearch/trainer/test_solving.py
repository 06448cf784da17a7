"""What solves a puzzle, how well it was solved, and when it is due again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import chess
import pytest
from sqlalchemy import select

from chess_motif.errors import PositionError
from db.attempts import Attempt, Card, due_dates
from db.days import day_of
from db.models import Kind, Puzzle
from db.sets import SetEntry
from db.store import Store
from motifsearch.trainer.attempts import record_attempt
from motifsearch.trainer.repetition import due
from motifsearch.trainer.solving import Feedback, Grade, Solving
from tests.helpers.rows import puzzle_row
from tests.helpers.sample_puzzles import put
from tests.helpers.zones import user_in


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
    assert solving.reply == solving.board.peek() == chess.Move.from_uci("d8e8")
    assert solving.play(second) is Feedback.SOLVED
    assert solving.grade is Grade.GOOD


def test_a_wrong_move_may_be_followed_by_the_right_one() -> None:
    solving = Solving(BACK_RANK)
    assert solving.play("Qe7") is Feedback.WRONG
    assert solving.wrong == chess.Move.from_uci("e2e7")
    assert solving.board == BACK_RANK.position()
    assert solving.play("Qe8") is Feedback.RIGHT


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


@pytest.mark.parametrize(
    ("typed", "grade"),
    [
        ("Qe8 Rxe8", Grade.GOOD),
        ("hint Qe8 Rxe8", Grade.HARD),
        # A second hint tells the move, but not a first one for another move.
        ("hint hint Qe8 Rxe8", Grade.AGAIN),
        ("hint Qe8 hint Rxe8", Grade.HARD),
        ("Qe7 Qe8 Rxe8", Grade.AGAIN),
    ],
)
def test_hints_and_mistakes_lower_the_grade(typed: str, grade: Grade) -> None:
    solving = Solving(BACK_RANK)
    for word in typed.split():
        if word == "hint":
            solving.hint()
        else:
            solving.play(word)
    assert solving.grade is grade


def test_a_solution_that_was_shown_is_a_failure() -> None:
    solving = Solving(BACK_RANK)
    assert not solving.has_failed
    solving.give_up()
    assert solving.has_failed
    assert solving.grade is Grade.AGAIN


def test_going_back_takes_the_last_move_and_its_reply_back() -> None:
    solving = Solving(BACK_RANK)
    assert not solving.back()
    solving.play("Qe8")
    assert solving.back()
    assert solving.board == BACK_RANK.position()
    assert solving.play("Qe8") is Feedback.RIGHT
    assert solving.play("Rxe8") is Feedback.SOLVED


# The king and the rook can go to e2, and no pawn.
@pytest.mark.parametrize("piece", ["k", "King", "the king", "e1", "Ke2"])
def test_a_square_alone_asks_for_the_piece(piece: str) -> None:
    solving = Solving(puzzle("4k3/8/8/8/8/8/R7/4K3 w - - 0 1", "e1e2"))
    assert solving.play("e2") is Feedback.UNCLEAR
    assert solving.board.turn == chess.WHITE
    assert solving.play(piece) is Feedback.SOLVED
    assert solving.grade is Grade.GOOD


NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
IDS = ("one", "two", "three")
ENTRIES = [SetEntry(puzzle_row(name)) for name in IDS]


@pytest.fixture
def store(store: Store) -> Store:
    """A store that has the puzzles."""
    put(store, *map(puzzle_row, IDS))
    return store


def ids(entries: tuple[SetEntry, ...]) -> list[str]:
    return [entry.puzzle.id for entry in entries]


def interval(store: Store, name: str, grade: Grade) -> timedelta:
    return record_attempt(store, "Ann", name, grade, seconds=5, at=NOW) - NOW


def test_what_was_wrong_comes_again_first(store: Store) -> None:
    wrong, hinted = interval(store, "one", Grade.AGAIN), interval(store, "two", Grade.HARD)
    right = interval(store, "three", Grade.GOOD)
    assert wrong <= hinted < right


def test_what_is_right_again_stays_away_longer(store: Store) -> None:
    first = interval(store, "one", Grade.GOOD)
    second = record_attempt(store, "Ann", "one", Grade.GOOD, seconds=5, at=NOW + first) - (NOW + first)
    assert second > first


def test_what_is_due_and_what_is_new(store: Store) -> None:
    record_attempt(store, "Ann", "two", Grade.GOOD, seconds=5, at=NOW)
    with store.reading() as session:
        today = due(session, "Ann", ENTRIES, NOW)
        assert (ids(today.again), ids(today.new)) == ([], ["one", "three"])
        assert today.later is not None
        later = due(session, "Ann", ENTRIES, today.later)
        assert (ids(later.again), ids(later.new), later.later) == (["two"], ["one", "three"], None)


def test_the_longest_overdue_comes_first(store: Store) -> None:
    for day, name in enumerate(["three", "one"]):
        record_attempt(store, "Ann", name, Grade.AGAIN, seconds=5, at=NOW + timedelta(days=day))
    with store.reading() as session:
        assert ids(due(session, "Ann", ENTRIES, NOW + timedelta(days=90)).again) == ["three", "one"]


def test_solvers_do_not_disturb_one_another(store: Store) -> None:
    record_attempt(store, "Bob", "one", Grade.GOOD, seconds=5, at=NOW)
    with store.reading() as session:
        assert ids(due(session, "Ann", ENTRIES, NOW).new) == ["one", "two", "three"]


def test_every_attempt_is_stored(store: Store) -> None:
    record_attempt(store, "Ann", "one", Grade.AGAIN, seconds=7.5, at=NOW)
    record_attempt(store, "Ann", "one", Grade.GOOD, seconds=3, at=NOW + timedelta(days=1))
    with store.reading() as session:
        attempts = session.scalars(select(Attempt).order_by(Attempt.number)).all()
        assert [(one.right, one.seconds) for one in attempts] == [(False, 7.5), (True, 3)]


@pytest.mark.parametrize(
    "damage",
    [
        {"card_id": []},
        {"state": 9},
        {"stability": 0},
        {"stability": -1},
        {"stability": None},
        {"difficulty": None},
        {"difficulty": {}},
        {"stability": 1e308, "difficulty": "high"},
        None,
    ],
)
def test_a_damaged_card_begins_again(store: Store, damage: dict[str, object] | None) -> None:
    first = interval(store, "one", Grade.GOOD)
    with store.session() as session:
        card = session.get_one(Card, ("Ann", "one"))
        card.state = {} if damage is None else card.state | damage
    assert interval(store, "one", Grade.GOOD) == first


def test_an_evening_and_the_next_morning_are_a_day_apart(store: Store) -> None:
    with user_in("Pacific/Auckland"):
        for name, hours in (("one", 14), ("two", 24)):
            record_attempt(store, "Ann", name, Grade.GOOD, seconds=5, at=NOW - timedelta(hours=4))
            record_attempt(store, "Ann", name, Grade.GOOD, seconds=5, at=NOW + timedelta(hours=hours - 4))
        with store.reading() as session:
            one, two = (date for _, date in sorted(due_dates(session, "Ann").items()))
        assert day_of(one) == day_of(two)
