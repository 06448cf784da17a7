"""Spaced repetition: what an attempt at a puzzle does to the day when the puzzle is due again.

The scheduler is FSRS (the library `fsrs`), which is loaded when an attempt is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING

from sqlalchemy.orm import Session

from chess_motif import arguments
from chess_motif.errors import InputError
from chess_motif.text import clean_name
from db.attempts import Attempt, Card, due_dates
from db.days import day_of, days_later, end_of_day
from db.models import utc_now
from db.puzzles import get_puzzle
from db.sets import SetEntry
from db.store import Store
from motifsearch.trainer.solving import Grade

if TYPE_CHECKING:
    import fsrs


def record_attempt(
    store: Store,
    solver: str,
    puzzle_id: str,
    grade: Grade,
    *,
    seconds: float,
    at: datetime | None = None,
) -> datetime:
    """Store an attempt, and return when the puzzle is due again (UTC).

    `at` is when it was solved (default: now). Raises `UnknownPuzzleError`, and `InputError` for a solver
    without a name or a time below 0.
    """
    arguments.at_least(0, seconds=seconds)
    grade = arguments.one_of(Grade, grade=grade)
    if not clean_name(solver):
        raise InputError("the solver has no name")
    with store.session() as session:
        get_puzzle(session, puzzle_id)
        return add_attempt(session, solver, puzzle_id, grade, seconds=seconds, at=at)


def add_attempt(
    session: Session,
    solver: str,
    puzzle_id: str,
    grade: Grade,
    *,
    seconds: float,
    at: datetime | None = None,
    chosen: Grade | None = None,
) -> datetime:
    """Do the same as `record_attempt` within a transaction.

    `chosen` is the grade that the solver gives herself: it decides when the puzzle is due again, and `grade`
    what counts as right (default: the same).
    """
    at = at or utc_now()
    attempt = Attempt(
        solver=solver,
        puzzle_id=puzzle_id,
        right=grade is not Grade.AGAIN,
        hinted=grade is Grade.HARD,
        seconds=seconds,
        at=at,
    )
    session.add(attempt)
    card = _reviewed(_card(session, solver, puzzle_id), chosen or grade, at)
    session.merge(Card(solver=solver, puzzle_id=puzzle_id, due=card.due, state=dict(card.to_dict())))
    return card.due


def due_after(
    session: Session, solver: str, puzzle_id: str, at: datetime | None = None
) -> dict[Grade, datetime]:
    """Return when a puzzle would be due again (UTC) after each grade."""
    at, card = at or utc_now(), _card(session, solver, puzzle_id)
    return {grade: _reviewed(card, grade, at).due for grade in Grade}


def _card(session: Session, solver: str, puzzle_id: str) -> fsrs.Card:
    import fsrs

    stored = session.get(Card, (solver, puzzle_id))
    try:
        return fsrs.Card() if stored is None else fsrs.Card.from_dict(stored.state)  # type: ignore[arg-type]
    except (ArithmeticError, KeyError, TypeError, ValueError):
        # A damaged card begins again.
        return fsrs.Card()


def _reviewed(card: fsrs.Card, grade: Grade, at: datetime) -> fsrs.Card:
    import fsrs

    # Steps of minutes are for vocabulary: a puzzle whose solution was just seen teaches nothing. Dates are
    # not varied at random, so that the same attempts give the same dates.
    scheduler = fsrs.Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    rating = fsrs.Rating[grade.name.title()]
    # It takes 24 hours for a day: it is told of days only, as if each began at midnight UTC.
    day = datetime.combine(day_of(at), time(), UTC)
    try:
        card = scheduler.review_card(card, rating, day)[0]
    except (ArithmeticError, AssertionError, AttributeError, KeyError, TypeError, ValueError):
        # What is read of a damaged card may still be nonsense.
        card = scheduler.review_card(fsrs.Card(), rating, day)[0]
    card.due = days_later(at, (card.due - day).days)
    return card


@dataclass(frozen=True)
class Due:
    """What of a set its solver is to solve: what is due again, earliest first, and what was never tried.

    `later` is when the next of the others is due, None if there are none.
    """

    again: tuple[SetEntry, ...]
    new: tuple[SetEntry, ...]
    later: datetime | None


def due(session: Session, solver: str, entries: Sequence[SetEntry], at: datetime | None = None) -> Due:
    """Return which of some puzzles `solver` is to solve on the day of a time (default: now)."""
    end = end_of_day(at or utc_now())
    dates = due_dates(session, solver)
    tried = [entry for entry in entries if entry.puzzle.id in dates]
    tried.sort(key=lambda entry: dates[entry.puzzle.id])
    again = tuple(entry for entry in tried if dates[entry.puzzle.id] < end)
    new = tuple(entry for entry in entries if entry.puzzle.id not in dates)
    return Due(again, new, next((dates[one.puzzle.id] for one in tried[len(again) :]), None))
