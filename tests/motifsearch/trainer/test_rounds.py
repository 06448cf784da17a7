"""Rounds: what is graded late, in several tabs at once, or explained while the solver goes on."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from threading import Barrier

import pytest
from sqlalchemy import select

from db.attempts import Attempt, due_dates
from db.sets import SetEntry
from db.store import Store
from motifsearch.trainer.refutation import Refutation
from motifsearch.trainer.rounds import OpenRound, begin, explain, grade, open_round, save
from motifsearch.trainer.solving import Grade
from tests.helpers.clock import FakeClock
from tests.helpers.rows import puzzle_row


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    return FakeClock(monkeypatch)


@pytest.fixture
def puzzles(sqlite_store: Store) -> Store:
    with sqlite_store.session() as session:
        session.add(puzzle_row("one"))
    return sqlite_store


def begun(store: Store) -> OpenRound:
    return open_round(store, begin(store, "Ann", "", [SetEntry(puzzle_row("one"))]))


def played(store: Store, opened: OpenRound, move: str) -> OpenRound:
    assert opened.solving is not None
    opened.try_again()
    opened.solving.play(move)
    assert save(store, opened)
    return open_round(store, opened.number)


@pytest.fixture
def wrong(puzzles: Store) -> OpenRound:
    """A round whose last move was wrong, so far as is known."""
    return played(puzzles, begun(puzzles), "d4")


def due(store: Store) -> datetime:
    with store.reading() as session:
        return due_dates(session, "Ann")["one"]


def test_another_grade_takes_the_place_of_the_one_that_was_suggested(
    puzzles: Store, clock: FakeClock
) -> None:
    waiting = played(puzzles, begun(puzzles), "e4")
    suggested = due(puzzles)
    assert grade(puzzles, waiting, Grade.AGAIN)
    assert due(puzzles) < suggested


def test_a_late_grade_leaves_a_review_that_was_made_elsewhere_meanwhile(
    puzzles: Store, clock: FakeClock
) -> None:
    early = played(puzzles, begun(puzzles), "e4")
    clock.passes(hours=48)
    assert grade(puzzles, played(puzzles, begun(puzzles), "e4"), Grade.EASY)
    reviewed = due(puzzles)
    assert grade(puzzles, early, Grade.AGAIN)
    assert due(puzzles) == reviewed


def test_a_reason_leaves_the_version(puzzles: Store, wrong: OpenRound) -> None:
    explain(puzzles, wrong, Refutation(sentence="Because."))
    now = open_round(puzzles, wrong.number)
    assert now.state.refuted == Refutation(sentence="Because.")
    assert now.version == wrong.version


@pytest.mark.parametrize(("also_wins", "mistakes"), [(True, 0), (False, 1)])
def test_what_was_done_since_stays(puzzles: Store, wrong: OpenRound, also_wins: bool, mistakes: int) -> None:
    played(puzzles, wrong, "e4")
    explain(puzzles, wrong, Refutation(also_wins=also_wins))
    now = open_round(puzzles, wrong.number)
    assert now.solving is not None
    assert now.state.refuted is None
    assert (now.solving.solved, now.solving.mistakes) == (True, mistakes)


def test_a_reason_found_twice_excuses_once(puzzles: Store, wrong: OpenRound) -> None:
    for _ in range(2):
        explain(puzzles, wrong, Refutation(also_wins=True))
    solving = open_round(puzzles, wrong.number).solving
    assert solving is not None
    assert solving.mistakes == 0


def test_a_move_that_wins_too_mends_the_attempt_of_its_round(puzzles: Store, wrong: OpenRound) -> None:
    played(puzzles, wrong, "e4")
    played(puzzles, played(puzzles, begun(puzzles), "c4"), "e4")
    explain(puzzles, wrong, Refutation(also_wins=True))
    with puzzles.reading() as session:
        assert session.scalars(select(Attempt.right).order_by(Attempt.number)).all() == [True, False]


def test_a_new_student_finishes_several_puzzles_at_once(store: Store) -> None:
    names = [f"puzzle{number}" for number in range(6)]
    with store.session() as session:
        session.add_all(puzzle_row(name, rating=1500) for name in names)
    rounds = [begin(store, "Ann", "", [SetEntry(puzzle_row(name))]) for name in names]
    together = Barrier(len(rounds))

    def solve(number: int) -> None:
        opened = open_round(store, number)
        together.wait()
        played(store, opened, "e4")

    with ThreadPoolExecutor(len(rounds)) as threads:
        list(threads.map(solve, rounds))
    with store.reading() as session:
        attempts = session.scalars(select(Attempt).order_by(Attempt.number))
        ratings = [attempt.rating or 0 for attempt in attempts]
    # Each one builds on the one before.
    assert len(ratings) == len(names)
    assert ratings == sorted(set(ratings))
