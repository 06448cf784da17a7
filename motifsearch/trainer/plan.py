"""The plan of a day: which puzzles somebody is to solve today, and which make up a drill."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.attempts import Attempt, due_dates
from db.days import day_of, end_of_day
from db.models import utc_now
from db.sets import SetEntry, entries_for, set_entries
from motifsearch.trainer.report import main_motif_of
from motifsearch.trainer.rounds import Badge, own_badge

# What is asked for on one day, unless somebody goes on: half an hour. New puzzles come back, so that there
# are fewer of them.
DAILY_REVIEWS = 20
DAILY_NEW = 6

# Puzzles of a drill, or of a set at once.
DRILL = 10


@dataclass(frozen=True)
class Today:
    """What somebody is to solve today: what is due again, and what is new, each at most as many as a day has.

    `all` are the puzzles of all her sets. `left_over` counts what is due and has to wait, `untried` all that
    is new. `next` is when the next one is due, None if none is.
    """

    all: Sequence[SetEntry] = ()
    reviews: Sequence[SetEntry] = ()
    new: Sequence[SetEntry] = ()
    left_over: int = 0
    next: datetime | None = None
    untried: int = 0

    @property
    def entries(self) -> tuple[SetEntry, ...]:
        """All of them, as they are asked for."""
        return (*self.reviews, *self.new)


def today(session: Session, solver: str, at: datetime | None = None) -> Today:
    """Return what somebody is to solve on the day of a time (default: now), of all her sets."""
    at = at or utc_now()
    dates, entries = due_dates(session, solver), entries_for(session, solver)
    known = {entry.puzzle.id: entry for entry in entries}
    done, end = _done_today(session, solver, at), end_of_day(at)
    due = sorted((date, name) for name, date in dates.items() if date < end and name in known)
    reviews = [known[name] for _, name in due]
    new = [entry for entry in known.values() if entry.puzzle.id not in dates]
    most_new = max(0, DAILY_NEW - len(done.new))
    most = max(0, DAILY_REVIEWS - len(done.reviews))
    later = [date for name, date in dates.items() if date >= end and name in known]
    left_over, following = max(0, len(reviews) - most), min(later, default=None)
    return Today(entries, reviews[:most], new[:most_new], left_over, following, len(new))


@dataclass(frozen=True)
class _Done:
    reviews: frozenset[str]
    new: frozenset[str]


def _done_today(session: Session, solver: str, at: datetime) -> _Done:
    """Return the puzzles that were tried on this day, those that had been before and those that had not."""
    day = day_of(at)
    first = select(Attempt.puzzle_id, func.min(Attempt.at), func.max(Attempt.at)).where(
        Attempt.solver == solver
    )
    reviews, new = set[str](), set[str]()
    for name, begun, last in session.execute(first.group_by(Attempt.puzzle_id)):
        if day_of(last) == day:
            (new if day_of(begun) == day else reviews).add(name)
    return _Done(frozenset(reviews), frozenset(new))


def drill(session: Session, solver: str, motif: str) -> list[SetEntry]:
    """Return puzzles of a main motif from somebody's sets: the new ones, then those that are due first."""
    fitting = {
        entry.puzzle.id: entry
        for entry in entries_for(session, solver)
        if entry.opportunity is not None and main_motif_of(entry.opportunity) == motif
    }
    return _some(session, solver, fitting.values())


def some_of_set(session: Session, solver: str, name: str) -> list[SetEntry]:
    """Return puzzles of a set, in the same order. Raises `InputError` if there is no such set."""
    return _some(session, solver, set_entries(session, name))


def some_missed(session: Session, solver: str) -> list[SetEntry]:
    """Return what somebody missed in her own games, in the same order."""
    missed = [each for each in entries_for(session, solver) if own_badge(each) is Badge.MISSED]
    return _some(session, solver, missed)


def some_new(session: Session, solver: str) -> list[SetEntry]:
    """Return puzzles of somebody's sets that she has not tried."""
    dates = due_dates(session, solver)
    return [entry for entry in entries_for(session, solver) if entry.puzzle.id not in dates][:DRILL]


def _some(session: Session, solver: str, entries: Iterable[SetEntry]) -> list[SetEntry]:
    dates = due_dates(session, solver)
    epoch = datetime.min.replace(tzinfo=UTC)
    return sorted(entries, key=lambda entry: dates.get(entry.puzzle.id, epoch))[:DRILL]
