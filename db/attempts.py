"""What students solved: attempts at puzzles, ratings, when each puzzle is due again, and rounds of several.

Times are UTC.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Index, Integer, String, delete, exists, false, func, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from db.games import rows_with
from db.models import Base, Puzzle, in_utc, utc_now
from db.store import insert_new


class Attempt(Base, kw_only=True):
    """An attempt of `solver` at a puzzle: whether all moves were right at once, and the `seconds`.

    `hinted` says whether a hint helped, `on_clock` whether it was in a round against the clock. `motif` is
    the main motif of the puzzle, empty if it has none. A first attempt that is rated has the `level` of the
    puzzle, and the `rating` of the solver after it, with its `deviation`.
    """

    __tablename__ = "attempts"
    __table_args__ = (Index("ix_attempts_solver", "solver", "puzzle_id"),)

    number: Mapped[int] = mapped_column(Integer, primary_key=True, init=False)
    solver: Mapped[str]
    puzzle_id: Mapped[str] = mapped_column(String(8))
    at: Mapped[datetime] = mapped_column(default_factory=utc_now)
    right: Mapped[bool]
    hinted: Mapped[bool] = mapped_column(default=False)
    on_clock: Mapped[bool] = mapped_column(default=False, server_default=false())
    seconds: Mapped[float]
    motif: Mapped[str] = mapped_column(default="", server_default="")
    level: Mapped[float | None] = mapped_column(default=None)
    rating: Mapped[float | None] = mapped_column(default=None)
    deviation: Mapped[float | None] = mapped_column(default=None)


class StudentRating(Base, kw_only=True):
    """How strong a student is (Glicko-2), after the last rated attempt `at`.

    `motif` is the main motif that the rating is for, empty for all puzzles.
    """

    __tablename__ = "student_ratings"

    student: Mapped[str] = mapped_column(primary_key=True)
    motif: Mapped[str] = mapped_column(primary_key=True)
    rating: Mapped[float]
    deviation: Mapped[float]
    volatility: Mapped[float]
    at: Mapped[datetime]


class Student(Base, kw_only=True):
    """What a student has set for practice, see `motifsearch.trainer.practice`, if anything."""

    __tablename__ = "students"

    name: Mapped[str] = mapped_column(primary_key=True)
    practice: Mapped[dict[str, Any] | None] = mapped_column(default=None)


class Card(Base, kw_only=True):
    """When a puzzle is due again for `solver`; `state` is the scheduler's."""

    __tablename__ = "cards"

    solver: Mapped[str] = mapped_column(primary_key=True)
    puzzle_id: Mapped[str] = mapped_column(String(8), primary_key=True)
    due: Mapped[datetime]
    state: Mapped[dict[str, Any]]


class Round(Base, kw_only=True):
    """Puzzles that `solver` goes through one after the other.

    `kind` is that of `motifsearch.trainer.round_state`, as `state` is, and `version` counts the changes of
    the state. `set_name` is the set that the puzzles are from, empty if they are not of one. `finished` is
    None as long as the round goes on.
    """

    __tablename__ = "rounds"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, init=False)
    solver: Mapped[str] = mapped_column(index=True)
    title: Mapped[str]
    kind: Mapped[str] = mapped_column(default="", server_default="")
    set_name: Mapped[str] = mapped_column(default="")
    started: Mapped[datetime] = mapped_column(default_factory=utc_now)
    finished: Mapped[datetime | None] = mapped_column(default=None)
    version: Mapped[int] = mapped_column(default=0)
    state: Mapped[dict[str, Any]]


def lock_student(session: Session, name: str) -> None:
    """Lock what a student solved: other transactions that call this wait until this one ends."""
    insert_new(session, [Student(name=name)])
    session.execute(select(Student.name).where(Student.name == name).with_for_update())


def attempts_at(session: Session, ids: Sequence[str]) -> list[Attempt]:
    """Return all attempts at puzzles with these ids, in order of time."""
    found = rows_with(session, select(Attempt), Attempt.puzzle_id, ids)
    return sorted((attempt for (attempt,) in found), key=lambda attempt: attempt.number)


def due_dates(session: Session, solver: str) -> dict[str, datetime]:
    """Return when each puzzle that `solver` has tried is due again (UTC), by its id."""
    dates = session.execute(select(Card.puzzle_id, Card.due).where(Card.solver == solver))
    return {name: in_utc(due) for name, due in dates}


def has_tried(session: Session, student: str, puzzle_id: str) -> bool:
    """Return whether a student has tried a puzzle."""
    tried = select(Attempt.number).where(Attempt.solver == student, Attempt.puzzle_id == puzzle_id)
    return session.scalar(tried.limit(1)) is not None


def last_review(session: Session, student: str, puzzle_id: str) -> int | None:
    """Return the number of the last attempt at a puzzle that was not against the clock, if any."""
    tried = (Attempt.solver == student) & (Attempt.puzzle_id == puzzle_id) & ~Attempt.on_clock
    return session.scalar(select(func.max(Attempt.number)).where(tried))


def tried_by(student: str) -> ColumnElement[bool]:
    """Return the condition that a student has tried a puzzle, for queries of puzzles."""
    return exists().where(Attempt.solver == student, Attempt.puzzle_id == Puzzle.id)


def all_students(session: Session) -> list[str]:
    """Return everybody who has tried a puzzle, by name."""
    return list(session.scalars(select(Attempt.solver).distinct().order_by(Attempt.solver)))


def rename_student(session: Session, old: str, new: str) -> None:
    """Give what a student solved to another name, under which nothing has been solved yet."""
    session.execute(delete(Student).where(Student.name == new))
    columns = (Attempt.solver, Card.solver, Round.solver, StudentRating.student, Student.name)
    for column in columns:
        session.execute(update(column.class_).where(column == old).values({column.key: new}))
