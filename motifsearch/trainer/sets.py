"""When to solve a puzzle again: spaced repetition by FSRS (the library `fsrs`).

Training sets, and what is due in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fsrs import Card, Rating, Scheduler
from sqlalchemy.orm import Session

from db.models import Puzzle, utc_now
from db.store import Store
from db.training import (
    SetEntry,
    SetSummary,
    add_attempt,
    all_sets,
    card_state,
    delete_set,
    due_dates,
    get_set,
    save_card,
    set_entries,
    sets_for,
)

# Steps of minutes are for vocabulary: a puzzle whose solution was just seen teaches nothing. Dates are not
# varied at random, so that the same attempts give the same dates.
_SCHEDULER = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)


@dataclass(frozen=True)
class Due:
    """The puzzles of a set for its solver: those due again, earliest first, and those never tried, in order.

    `later` is when the next of the others is due, None if there are none.
    """

    again: tuple[Puzzle, ...]
    new: tuple[Puzzle, ...]
    later: datetime | None


def record_attempt(
    store: Store,
    solver: str,
    puzzle_id: str,
    *,
    right: bool,
    seconds: float,
    hinted: bool = False,
    at: datetime | None = None,
) -> datetime:
    """Store an attempt, and return when the puzzle is due again (UTC).

    `right` says whether all moves were right at once; a puzzle that was solved with a hint (`hinted`) is due
    earlier. `at` is when it was solved (default: now).
    """
    at = at or utc_now()
    rating = Rating.Again if not right else Rating.Hard if hinted else Rating.Good
    with store.session() as session:
        add_attempt(session, solver, puzzle_id, right=right, seconds=seconds, at=at)
        state = card_state(session, solver, puzzle_id)
        card = Card() if state is None else Card.from_dict(state)  # type: ignore[arg-type]  # as JSON has it
        card, _ = _SCHEDULER.review_card(card, rating, at)
        save_card(session, solver, puzzle_id, card.due, dict(card.to_dict()))
    return card.due


def due(session: Session, solver: str, puzzles: Sequence[Puzzle], at: datetime | None = None) -> Due:
    """Return which of some puzzles `solver` is to solve at a time (default: now)."""
    at = at or utc_now()
    dates = due_dates(session, solver)
    tried = sorted((puzzle for puzzle in puzzles if puzzle.id in dates), key=lambda one: dates[one.id])
    again = tuple(puzzle for puzzle in tried if dates[puzzle.id] <= at)
    new = tuple(puzzle for puzzle in puzzles if puzzle.id not in dates)
    return Due(again, new, next((dates[puzzle.id] for puzzle in tried if dates[puzzle.id] > at), None))


@dataclass(frozen=True)
class SetStatus:
    """A training set, and what is due in it."""

    summary: SetSummary
    due: Due

    def as_dict(self) -> dict[str, Any]:
        """Return the status as the keys and values of its JSON object."""
        later = self.due.later
        return {
            "set": self.summary.name,
            "solver": self.summary.solver,
            "puzzles": self.summary.puzzles,
            "due": len(self.due.again),
            "new": len(self.due.new),
            "next": None if later is None else f"{later:%Y-%m-%d}",
        }


def set_statuses(store: Store, name: str | None = None) -> list[SetStatus]:
    """Return the training set of this name, or else those for this solver; without a name, all.

    Raises `InputError` if there is none of this name.
    """
    with store.reading() as session:
        sets = all_sets(session) if name is None else sets_for(session, name)
        entries = [set_entries(session, each.number) for each in sets]
        return [
            SetStatus(each, due(session, each.solver, [entry.puzzle for entry in of_set]))
            for each, of_set in zip(sets, entries, strict=True)
        ]


def entries_of(store: Store, name: str) -> list[SetEntry]:
    """Return the puzzles of the training set `name` in order. Raises `InputError` if there is none."""
    with store.reading() as session:
        return set_entries(session, get_set(session, name).number)


def remove_set(store: Store, name: str) -> None:
    """Delete the training set `name`; its puzzles, and what was solved, stay. Raises `InputError`."""
    with store.session() as session:
        delete_set(session, get_set(session, name).number)
