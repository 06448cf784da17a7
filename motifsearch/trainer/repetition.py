"""Spaced repetition: when a puzzle is due again after each grade.

The scheduler is FSRS (the library `fsrs`), which is loaded when an attempt is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, Any

from sqlalchemy.orm import Session

from db.attempts import Card, due_dates
from db.days import day_of, days_later, end_of_day
from db.models import utc_now
from db.sets import SetEntry
from motifsearch.trainer.solving import Grade

if TYPE_CHECKING:
    import fsrs


def schedule(session: Session, student: str, puzzle_id: str, grade: Grade, at: datetime) -> datetime:
    """Store when a puzzle is due again after a grade at a time, and return it (UTC)."""
    return reschedule(session, student, puzzle_id, card_of(session, student, puzzle_id), grade, at)


def reschedule(
    session: Session, student: str, puzzle_id: str, before: dict[str, Any] | None, grade: Grade, at: datetime
) -> datetime:
    """Do what `schedule` does, in place of the last review; `card_of` returned `before` before that one."""
    card = _reviewed(_read(before), grade, at)
    session.merge(Card(solver=student, puzzle_id=puzzle_id, due=card.due, state=dict(card.to_dict())))
    return card.due


def card_of(session: Session, student: str, puzzle_id: str) -> dict[str, Any] | None:
    """Return what the scheduler knows of a puzzle, None if the student has not graded it."""
    stored = session.get(Card, (student, puzzle_id))
    return None if stored is None else stored.state


def due_after(state: dict[str, Any] | None, at: datetime | None = None) -> dict[Grade, datetime]:
    """Return when a puzzle would be due again (UTC) after each grade, by what `card_of` returned."""
    at, card = at or utc_now(), _read(state)
    return {grade: _reviewed(card, grade, at).due for grade in Grade}


def _read(state: dict[str, Any] | None) -> fsrs.Card:
    import fsrs

    try:
        return fsrs.Card() if state is None else fsrs.Card.from_dict(state)  # type: ignore[arg-type]
    except (ArithmeticError, KeyError, TypeError, ValueError):
        # A damaged card begins again.
        return fsrs.Card()


def _reviewed(card: fsrs.Card, grade: Grade, at: datetime) -> fsrs.Card:
    import fsrs

    # Steps of minutes are for vocabulary: a puzzle whose solution was just seen teaches nothing. Dates are
    # not varied at random, so that the same attempts give the same dates.
    scheduler = fsrs.Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    rating = fsrs.Rating[grade.name.title()]
    # FSRS takes a day for 24 hours, so it gets midnights in UTC only.
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
