"""What a student is to solve today."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier

import pytest

from db.analyses import OpportunityKind, opportunities_of
from db.sets import SetCounts, counts_of_sets, extend_set
from db.store import Store
from motifsearch.trainer.attempts import record_attempt
from motifsearch.trainer.plan import (
    DAILY_NEW,
    DAILY_REVIEWS,
    begin_today,
    plan_of,
    round_of_today,
    some_missed,
)
from motifsearch.trainer.round_state import Badge
from motifsearch.trainer.rounds import open_round
from motifsearch.trainer.solving import Grade
from tests.helpers.missed_opportunities import FORK, opportunity_row, store_game
from tests.helpers.rows import puzzle_row
from tests.helpers.zones import user_in


@pytest.mark.parametrize(
    ("kind", "badge"),
    [
        (OpportunityKind.WIN, Badge.MISSED),
        (OpportunityKind.SAVE, Badge.MISSED),
        (OpportunityKind.ALLOWED, Badge.ALLOWED),
    ],
)
def test_a_puzzle_says_what_became_of_it_in_the_game(
    sqlite_store: Store, kind: OpportunityKind, badge: Badge
) -> None:
    store_game(sqlite_store, opportunity_row(*FORK, opportunity_kind=kind.value))
    with sqlite_store.session() as session:
        (stored,) = opportunities_of(session, ["Ann"], [kind])
        extend_set(session, "Lesson", "Ann", [(stored.puzzle_id, stored.number)])
    with sqlite_store.reading() as session:
        items = plan_of(session, "Ann").items
        missed = some_missed(session, "Ann")
    assert [item.badge for item in items] == [badge]
    assert len(missed) == (badge is Badge.MISSED)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.fixture
def lesson(sqlite_store: Store) -> Store:
    """A set of twice as many puzzles for Ann as are new on one day."""
    names = [f"puzzle{number:02}" for number in range(2 * DAILY_NEW)]
    with sqlite_store.session() as session:
        session.add_all(map(puzzle_row, names))
        session.flush()
        extend_set(session, "Lesson", "Ann", [(name, None) for name in names])
    return sqlite_store


def test_the_plan_of_a_day_stays_the_same_all_day_long(lesson: Store) -> None:
    with user_in("Pacific/Auckland"):
        with lesson.reading() as session:
            plans = [plan_of(session, "Ann", utc(f"2026-01-05 {hour}:59")).items for hour in ("10", "09")]
        assert plans[0] == plans[1]
        assert len(plans[0]) == DAILY_NEW


def test_a_plan_is_begun_once_a_day(lesson: Store) -> None:
    begun = begin_today(lesson, "Ann", "puzzle01")
    assert begin_today(lesson, "Ann", "puzzle02") == begun
    assert open_round(lesson, begun).state.items[0].puzzle_id == "puzzle01"
    with lesson.reading() as session:
        assert round_of_today(session, "Ann", datetime.now(UTC) + timedelta(days=1)) is None


def test_a_plan_that_is_begun_in_two_tabs_at_once_is_one(store: Store) -> None:
    with store.session() as session:
        session.add(puzzle_row("puzzle"))
    together = Barrier(2)

    def begin(_: int) -> int:
        together.wait()
        return begin_today(store, "Ann", "puzzle")

    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(begin, range(2))
    assert first == second


def test_after_a_pause_there_is_nothing_new_before_all_reviews_are_done(sqlite_store: Store) -> None:
    names = [f"due{number}" for number in range(DAILY_REVIEWS + 3)]
    with sqlite_store.session() as session:
        session.add_all(map(puzzle_row, [*names, "new"]))
    for day, name in enumerate(names):
        at = utc("2026-01-01 12:00") - timedelta(days=day)
        record_attempt(sqlite_store, "Ann", name, Grade.AGAIN, seconds=5, at=at)
    with sqlite_store.reading() as session:
        plan = plan_of(session, "Ann", utc("2026-03-01 12:00"))
    # What is due for longest comes first.
    assert [item.puzzle_id for item in plan.items] == names[:2:-1]
    assert plan.due == len(names)


def test_a_puzzle_of_no_set_comes_back(sqlite_store: Store) -> None:
    with sqlite_store.session() as session:
        session.add(puzzle_row("alone"))
    due = record_attempt(sqlite_store, "Ann", "alone", Grade.GOOD, seconds=5, at=utc("2026-01-01 12:00"))
    with sqlite_store.reading() as session:
        assert [item.badge for item in plan_of(session, "Ann", due).items] == [Badge.REVIEW]


@pytest.mark.parametrize(
    ("zone", "solved", "before", "due"),
    [
        ("Pacific/Auckland", "2026-01-05 10:00", "2026-01-05 10:59", "2026-01-05 11:00"),
        ("America/Los_Angeles", "2026-01-06 07:00", "2026-01-06 07:59", "2026-01-06 08:00"),
        ("Europe/Berlin", "2024-03-30 22:30", "2024-03-30 22:59", "2024-03-30 23:00"),
        # Ten past midnight: 24 hours later it is still the same day.
        ("Europe/Berlin", "2024-10-26 22:10", "2024-10-27 22:59", "2024-10-27 23:00"),
    ],
)
def test_what_was_wrong_is_due_from_the_next_day_on(
    lesson: Store, zone: str, solved: str, before: str, due: str
) -> None:
    with user_in(zone):
        record_attempt(lesson, "Ann", "puzzle00", Grade.AGAIN, seconds=5, at=utc(solved))
        for moment, count in ((before, 0), (due, 1)):
            with lesson.reading() as session:
                items = plan_of(session, "Ann", utc(moment)).items
                assert sum(item.badge is Badge.REVIEW for item in items) == count
                assert counts_of_sets(session, "Ann", utc(moment))["Lesson"] == SetCounts(
                    2 * DAILY_NEW, 1, count
                )


def test_what_was_practised_counts_for_finding_the_level(sqlite_store: Store) -> None:
    with sqlite_store.session() as session:
        session.add_all(puzzle_row(f"rated{number}", rating=1300 + number) for number in range(5))
    record_attempt(sqlite_store, "Ann", "rated0", Grade.GOOD, seconds=5, at=utc("2026-01-01 12:00"))
    with sqlite_store.reading() as session:
        assert plan_of(session, "Ann", utc("2026-01-01 13:00")).finding == 1
        assert plan_of(session, "Ben", utc("2026-01-01 13:00")).finding == 0
