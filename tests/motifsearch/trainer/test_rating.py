"""Ratings of students."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import delete, select, update

from db.attempts import Attempt, StudentRating
from db.store import Store, set_fact
from motifsearch.trainer.attempts import record_attempt
from motifsearch.trainer.rating import (
    RULES_FACT,
    START_DEVIATION,
    UNKNOWN_DEVIATION,
    Rating,
    keep_ratings,
    motif_ratings,
    rating_of,
    rating_of_puzzle,
)
from motifsearch.trainer.solving import Grade
from tests.helpers.rows import puzzle_row

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.fixture
def puzzles(sqlite_store: Store) -> Store:
    """Three puzzles: a fork and a pin with ratings, and one whose level is not known."""
    with sqlite_store.session() as session:
        session.add(puzzle_row("fork", tags="fork", rating=1400, rating_deviation=80))
        session.add(puzzle_row("pin", tags="pin", rating=1600, rating_deviation=80))
        session.add(puzzle_row("unrated"))
    return sqlite_store


def rated(store: Store, student: str = "Ann") -> Rating | None:
    with store.reading() as session:
        return rating_of(session, student)


def solve(store: Store, name: str, grade: Grade, days: int = 0) -> None:
    record_attempt(store, "Ann", name, grade, seconds=5, at=NOW + timedelta(days=days))


@given(st.floats(600, 2800), st.floats(30, 500), st.floats(600, 2800), st.floats(30, 300))
def test_a_success_never_lowers_and_a_failure_never_raises_a_rating(
    own: float, deviation: float, level: float, of_puzzle: float
) -> None:
    before, puzzle = Rating(own, deviation), Rating(level, of_puzzle)
    wrong, hinted, right = (before.after(puzzle, score).value for score in (0, 0.5, 1))
    assert wrong <= before.value <= right
    assert wrong <= hinted <= right


def test_seven_of_ten_are_expected_at_147_points_below_the_own_rating() -> None:
    assert Rating(1647, 50).expected(Rating(1500, 0)) == pytest.approx(0.7, abs=0.001)


def test_a_rested_rating_is_less_certain_but_never_less_than_that_of_a_beginner() -> None:
    rested = Rating(1700, 60).rested(365)
    assert rested.value == 1700
    assert 100 < rested.deviation < 130
    assert Rating(1700, 60).rested(1e6).deviation == START_DEVIATION


def test_the_level_of_a_puzzle_is_its_rating_or_else_an_estimate_which_is_less_certain() -> None:
    assert rating_of_puzzle(puzzle_row("a", rating=1500, rating_deviation=90, difficulty=900)) == Rating(
        1500, 90
    )
    assert rating_of_puzzle(puzzle_row("b", rating=1500)) == Rating(1500, UNKNOWN_DEVIATION)
    estimated = rating_of_puzzle(puzzle_row("c", difficulty=1200.0, difficulty_margin=256.32))
    assert estimated is not None
    assert (estimated.value, round(estimated.deviation)) == (1200, 200)
    assert rating_of_puzzle(puzzle_row("d")) is None


def test_only_the_first_attempt_at_a_rated_puzzle_counts(puzzles: Store) -> None:
    solve(puzzles, "unrated", Grade.GOOD)
    assert rated(puzzles) is None
    solve(puzzles, "fork", Grade.AGAIN)
    first = rated(puzzles)
    solve(puzzles, "fork", Grade.GOOD)
    assert first is not None
    assert first.value < 1500
    assert rated(puzzles) == first


def test_each_main_motif_has_a_rating_of_its_own(puzzles: Store) -> None:
    solve(puzzles, "fork", Grade.AGAIN)
    solve(puzzles, "pin", Grade.GOOD)
    with puzzles.reading() as session:
        motifs = motif_ratings(session, "Ann")
    assert motifs.keys() == {"fork", "pin"}
    assert motifs["fork"].value < 1500 < motifs["pin"].value


def test_stored_attempts_are_rated_again_once_the_rules_have_changed(puzzles: Store) -> None:
    for day, (name, grade) in enumerate([("fork", Grade.AGAIN), ("pin", Grade.HARD), ("fork", Grade.GOOD)]):
        solve(puzzles, name, grade, days=day)
    with puzzles.reading() as session:
        expected = rating_of(session, "Ann"), motif_ratings(session, "Ann")
    with puzzles.session() as session:
        session.execute(delete(StudentRating))
        session.execute(update(Attempt).values(rating=None, motif=""))
        set_fact(session, RULES_FACT, "0")
    keep_ratings(puzzles)
    with puzzles.reading() as session:
        assert (rating_of(session, "Ann"), motif_ratings(session, "Ann")) == expected
        ratings = session.scalars(select(Attempt.rating).order_by(Attempt.number)).all()
    assert [rating is None for rating in ratings] == [False, False, True]
