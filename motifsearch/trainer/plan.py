"""The plan of a day: what a student is to solve today, and which puzzles make up a drill.

What is due again comes first, then new puzzles, then what she missed in her own games. Whose level is not
known yet solves some puzzles that find it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.attempts import Attempt, Card, Round, due_dates, lock_student
from db.days import day_of, end_of_day
from db.models import Puzzle, utc_now
from db.sets import SetEntry, entries_for, set_entries
from db.store import Store
from motifsearch.trainer.practice import Practice, next_puzzle
from motifsearch.trainer.progress import FINDING
from motifsearch.trainer.report import main_motif_of
from motifsearch.trainer.round_state import Badge, Item, RoundKind, RoundState
from motifsearch.trainer.rounds import begin_round, own_badge

# What is asked for on one day: a quarter of an hour. New puzzles come back, so that there are fewer of them;
# after a pause, there are none until all reviews are done.
DAILY_REVIEWS = 12
DAILY_NEW = 4
DAILY_FROM_GAMES = 2

# Puzzles of a drill, of a set at once, or when somebody wants some more.
DRILL = 10


@dataclass(frozen=True)
class Plan:
    """What a student is to solve today, in order; `due` counts all reviews, also those that have to wait.

    With `finding`, the puzzles are chosen one by one until her level is known, and only the first one is
    given; it counts the rated puzzles that she has solved for that.
    """

    items: Sequence[Item]
    due: int = 0
    finding: int | None = None


def plan_of(session: Session, student: str, at: datetime | None = None) -> Plan:
    """Return what a student is to solve on the day of a time (default: now); the same all day long."""
    at = at or utc_now()
    chance = random.Random(f"{student} {day_of(at)}")
    due = select(Card.puzzle_id).where(Card.solver == student, Card.due < end_of_day(at))
    ids = list(session.scalars(due.join(Puzzle, Puzzle.id == Card.puzzle_id).order_by(Card.due)))
    reviews = [Item(puzzle_id=name, badge=Badge.REVIEW) for name in ids[:DAILY_REVIEWS]]
    if len(ids) > DAILY_REVIEWS:
        return Plan(reviews, len(ids))
    known = set(due_dates(session, student))
    new = _each_once(entry for entry in entries_for(session, student) if entry.puzzle.id not in known)
    own = sorted((entry for entry in new if entry.is_own), key=_date, reverse=True)[:DAILY_FROM_GAMES]
    others = [entry.puzzle for entry in new if not entry.is_own][:DAILY_NEW]
    if not reviews and not new and (rated := _rated(session, student)) < FINDING:
        first = next_puzzle(session, student, Practice(), chance=chance)
        return Plan([Item(puzzle_id=first.id)], finding=rated) if first else Plan(())
    taken = {puzzle.id for puzzle in others} | {entry.puzzle.id for entry in own}
    while len(others) < DAILY_NEW and (found := next_puzzle(session, student, Practice(), taken, chance)):
        others.append(found)
        taken.add(found.id)
    items = [*reviews, *(Item(puzzle_id=puzzle.id) for puzzle in others)]
    items += [Item(puzzle_id=entry.puzzle.id, badge=own_badge(entry) or Badge.MISSED) for entry in own]
    return Plan(items, len(ids))


def _date(entry: SetEntry) -> str:
    return entry.opportunity.game.date if entry.opportunity else ""


def _rated(session: Session, student: str) -> int:
    rated = select(func.count()).where(Attempt.solver == student, Attempt.rating.is_not(None))
    return session.scalar(rated) or 0


def round_of_today(session: Session, student: str, at: datetime | None = None) -> Round | None:
    """Return the round in which a student solves today's plan, None if she has not begun it."""
    rounds = select(Round).where(Round.solver == student, Round.kind == RoundKind.TODAY.value)
    newest = session.scalar(rounds.order_by(Round.number.desc()).limit(1))
    return newest if newest is not None and day_of(newest.started) == day_of(at or utc_now()) else None


def begin_today(store: Store, student: str, first: str = "") -> int:
    """Begin to solve today's plan, by the puzzle `first` (an id) if it is given; return the round's number.

    Once all of today is done, some more puzzles begin. Raises `InputError` if there is nothing to solve.
    """
    with store.session() as session:
        lock_student(session, student)
        begun, plan = round_of_today(session, student), plan_of(session, student)
        if begun is not None and begun.finished is None:
            return begun.number
        kind, practice, most = RoundKind.TODAY, None, None
        items = sorted(plan.items, key=lambda item: item.puzzle_id != first)
        if begun is not None or not items:
            kind, practice, most = RoundKind.PRACTICE, Practice(), DRILL
        elif plan.finding is not None:
            practice, most = Practice(), FINDING - plan.finding
        if practice is not None:
            puzzle = session.scalar(select(Puzzle).where(Puzzle.id == first))
            puzzle = puzzle or next_puzzle(session, student, practice)
            items = [Item(puzzle_id=puzzle.id)] if puzzle else []
        state = RoundState(items=items, practice=practice, most=most, begun=utc_now())
        return begin_round(session, student, kind, "Mixed" if begun else "", "", state)


def drill(session: Session, student: str, motif: str) -> list[SetEntry]:
    """Return puzzles of a main motif from a student's sets: new ones, then those that are due first."""
    fitting = {
        entry.puzzle.id: entry
        for entry in entries_for(session, student)
        if entry.opportunity is not None and main_motif_of(entry.opportunity) == motif
    }
    return _some(session, student, fitting.values())


def some_of_set(session: Session, student: str, name: str) -> list[SetEntry]:
    """Return puzzles of a set, in the same order. Raises `InputError` if there is no such set."""
    return _some(session, student, set_entries(session, name))


def some_missed(session: Session, student: str) -> list[SetEntry]:
    """Return what a student missed in her own games, in the same order."""
    missed = [each for each in entries_for(session, student) if own_badge(each) is Badge.MISSED]
    return _some(session, student, missed)


def _some(session: Session, student: str, entries: Iterable[SetEntry]) -> list[SetEntry]:
    dates = due_dates(session, student)
    epoch = datetime.min.replace(tzinfo=UTC)
    return sorted(_each_once(entries), key=lambda entry: dates.get(entry.puzzle.id, epoch))[:DRILL]


def _each_once(entries: Iterable[SetEntry]) -> list[SetEntry]:
    """Return each puzzle once, as the student's own if it is that in one of the sets."""
    found: dict[str, SetEntry] = {}
    for entry in entries:
        if entry.is_own or entry.puzzle.id not in found:
            found[entry.puzzle.id] = entry
    return list(found.values())
