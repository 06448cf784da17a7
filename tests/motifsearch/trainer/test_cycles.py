"""The puzzles of a set in a row, and again."""

from __future__ import annotations

from datetime import timedelta

import pytest

from chess_motif.errors import InputError
from db.sets import create_set, extend_set
from db.store import Store
from motifsearch.trainer.cycles import Cycle, begin_cycle, cycles_of
from motifsearch.trainer.plan import plan_of
from motifsearch.trainer.rounds import grade, open_round, open_rounds, skip
from motifsearch.trainer.solving import Grade
from tests.helpers.clock import FakeClock
from tests.helpers.rows import puzzle_row

NAMES = ("one", "two", "three")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    return FakeClock(monkeypatch)


@pytest.fixture
def lesson(sqlite_store: Store) -> Store:
    """A set of three puzzles for Ann."""
    with sqlite_store.session() as session:
        session.add_all(map(puzzle_row, NAMES))
        session.flush()
        create_set(session, "Lesson", "Ann")
        extend_set(session, "Lesson", "Ann", [(name, None) for name in NAMES])
    return sqlite_store


def solve(store: Store, clock: FakeClock, number: int, *grades: Grade, seconds: float = 30) -> None:
    for each in grades:
        clock.passes(seconds=seconds)
        opened = open_round(store, number)
        assert opened.solving is not None
        opened.solving.solved = True
        opened.solving.told = each is Grade.AGAIN
        assert grade(store, opened, each)


def cycles(store: Store) -> list[Cycle]:
    with store.reading() as session:
        return cycles_of(session, "Ann").get("Lesson", [])


def test_a_cycle_counts_what_was_right_at_once_and_its_time(lesson: Store, clock: FakeClock) -> None:
    number = begin_cycle(lesson, "Ann", "Lesson")
    solve(lesson, clock, number, Grade.GOOD, Grade.AGAIN, Grade.EASY)
    (cycle,) = cycles(lesson)
    assert cycle == Cycle(number, puzzles=3, done=3, right=2, time=timedelta(seconds=90))
    assert cycle.percent == 67


def test_what_was_shown_is_not_right_whatever_its_grade(lesson: Store, clock: FakeClock) -> None:
    opened = open_round(lesson, begin_cycle(lesson, "Ann", "Lesson"))
    opened.show()
    assert grade(lesson, opened, Grade.EASY)
    assert (cycles(lesson)[0].done, cycles(lesson)[0].right) == (1, 0)


def test_what_was_failed_does_not_come_twice(lesson: Store, clock: FakeClock) -> None:
    number = begin_cycle(lesson, "Ann", "Lesson")
    solve(lesson, clock, number, Grade.AGAIN)
    opened = open_round(lesson, number)
    assert not opened.wants_alike
    assert [item.puzzle_id for item in opened.state.items] == list(NAMES)


def test_a_cycle_goes_on_where_it_was_and_the_next_one_begins_after_it(
    lesson: Store, clock: FakeClock
) -> None:
    first = begin_cycle(lesson, "Ann", "Lesson")
    solve(lesson, clock, first, Grade.GOOD)
    assert begin_cycle(lesson, "Ann", "Lesson") == first
    solve(lesson, clock, first, Grade.GOOD, Grade.GOOD)
    second = begin_cycle(lesson, "Ann", "Lesson")
    solve(lesson, clock, second, *[Grade.GOOD] * 3, seconds=10)
    assert [each.time.total_seconds() for each in cycles(lesson)] == [90, 30]


def test_a_night_between_two_puzzles_is_no_time_of_the_cycle(lesson: Store, clock: FakeClock) -> None:
    number = begin_cycle(lesson, "Ann", "Lesson")
    solve(lesson, clock, number, Grade.GOOD)
    clock.passes(hours=12)
    skip(lesson, open_round(lesson, number))
    # Who leaves with a puzzle on the board is taken to think about it for ten minutes.
    assert cycles(lesson)[0].time == timedelta(minutes=10, seconds=30)


def test_a_cycle_does_not_keep_anybody_from_what_is_due(lesson: Store, clock: FakeClock) -> None:
    begin_cycle(lesson, "Ann", "Lesson")
    with lesson.reading() as session:
        assert open_rounds(session, "Ann") == []
        assert len(plan_of(session, "Ann").items) == 3


def test_there_is_no_cycle_of_an_unknown_set(lesson: Store) -> None:
    with pytest.raises(InputError, match="no training set"):
        begin_cycle(lesson, "Ann", "Lessons of nobody")
