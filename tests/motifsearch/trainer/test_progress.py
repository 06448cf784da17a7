"""What a student has solved."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from db.store import Store
from motifsearch.trainer.attempts import record_attempt
from motifsearch.trainer.progress import FINDING, LAST, MOST_POINTS, Progress, progress_of
from motifsearch.trainer.solving import Grade
from tests.helpers.rows import puzzle_row

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)


def practised(store: Store, grades: dict[str, list[Grade]]) -> Progress:
    """Return the progress of a student who solved puzzles of some motifs, one every hour until now."""
    flat = [(motif, grade) for motif, some in grades.items() for grade in some]
    with store.session() as session:
        for number, (motif, _) in enumerate(flat):
            session.add(puzzle_row(f"p{number:03}", tags=motif, rating=1500, rating_deviation=80))
    for number, (_, grade) in enumerate(flat):
        at = NOW - timedelta(hours=len(flat) - number)
        record_attempt(store, "Ann", f"p{number:03}", grade, seconds=5, at=at)
    with store.reading() as session:
        return progress_of(session, "Ann", NOW)


def test_motifs_are_weak_first_and_those_with_few_tries_last(sqlite_store: Store) -> None:
    good, bad, hint = Grade.GOOD, Grade.AGAIN, Grade.HARD
    progress = practised(
        sqlite_store,
        {"fork": [good] * 6, "pin": [good, good, bad, hint, bad], "skewer": [bad], "winsPiece": [bad] * 9},
    )
    assert [(one.motif, one.right, one.tries) for one in progress.motifs] == [
        ("pin", 2, 5),
        ("fork", 6, 6),
        ("skewer", 0, 1),
    ]


def test_all_attempts_count_and_few_are_drawn(sqlite_store: Store) -> None:
    progress = practised(sqlite_store, {"fork": [Grade.GOOD, Grade.AGAIN] * 70})
    assert (progress.tries, progress.right, len(progress.last)) == (140, 70, LAST)
    assert len(progress.points) <= MOST_POINTS
    # Not compared with the ratings that only found the level.
    assert progress.points[0].at >= NOW - timedelta(hours=140 - FINDING)
    assert progress.last[0].puzzle_id == "p139"


def test_a_change_is_larger_than_chance_if_it_is_large(sqlite_store: Store) -> None:
    assert not practised(sqlite_store, {"fork": [Grade.GOOD, Grade.AGAIN] * 15}).is_certain


def test_a_rise_that_goes_on_is_larger_than_chance(sqlite_store: Store) -> None:
    progress = practised(sqlite_store, {"fork": [Grade.AGAIN] * 20 + [Grade.GOOD] * 60})
    assert progress.change > 0
    assert progress.is_certain


def test_reviews_are_counted_by_day(sqlite_store: Store) -> None:
    progress = practised(sqlite_store, {"fork": [Grade.AGAIN] * 3})
    assert progress.due_within(2) == 3
    assert progress.due_within(0) == 0
