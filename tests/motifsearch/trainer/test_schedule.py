"""When puzzles are due again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import select

from db.models import Puzzle
from db.store import Store
from db.training import Attempt
from motifsearch.trainer.sets import due, record_attempt
from tests.helpers.rows import puzzle_row

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
