"""What somebody solves one after the other, and why."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from db.analyses import OpportunityKind, opportunities_of
from db.sets import SetCounts, counts_of_sets, extend_set
from db.store import Store
from motifsearch.trainer.plan import DAILY_NEW, some_missed, today
from motifsearch.trainer.repetition import record_attempt
from motifsearch.trainer.rounds import Badge, begin, open_round
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
        entries = today(session, "Ann").entries
        missed = some_missed(session, "Ann")
    opened = open_round(sqlite_store, begin(sqlite_store, "Ann", "Today", entries))
    assert [item.badge for item in opened.state.items] == [badge]
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


def new_at(store: Store, moment: str) -> int:
    with store.reading() as session:
        return len(today(session, "Ann", utc(moment)).new)


@pytest.mark.parametrize(
    ("zone", "solved", "same_day", "next_day"),
    [
        ("Pacific/Auckland", "2026-01-05 10:59", "2026-01-04 11:00", "2026-01-05 11:00"),
        ("America/Los_Angeles", "2026-01-05 08:00", "2026-01-06 07:59", "2026-01-06 08:00"),
        # Days of 23 and of 25 hours.
        ("Europe/Berlin", "2024-03-30 23:00", "2024-03-31 21:59", "2024-03-31 22:00"),
        ("Europe/Berlin", "2024-10-26 22:00", "2024-10-27 22:59", "2024-10-27 23:00"),
    ],
)
def test_new_puzzles_are_counted_by_the_day_of_the_solver(
    lesson: Store, zone: str, solved: str, same_day: str, next_day: str
) -> None:
    with user_in(zone):
        record_attempt(lesson, "Ann", "puzzle00", Grade.GOOD, seconds=5, at=utc(solved))
        assert (new_at(lesson, same_day), new_at(lesson, next_day)) == (DAILY_NEW - 1, DAILY_NEW)


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
                found = today(session, "Ann", utc(moment))
                assert len(found.reviews) == count
                assert (found.next is None) == bool(count)
                assert counts_of_sets(session, "Ann", utc(moment))["Lesson"] == SetCounts(12, 1, count)
