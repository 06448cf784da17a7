"""What somebody solved: attempts at puzzles, when each is due again, and rounds of several.

Times are UTC.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Integer, String, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from db.games import rows_with
from db.models import Base, in_utc, utc_now


class Attempt(Base, kw_only=True):
    """A puzzle that `solver` tried to solve: whether all moves were right at once, and the `seconds`.

    `hinted` says whether a hint helped, which named the piece to move.
    """

    __tablename__ = "attempts"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, init=False)
    solver: Mapped[str]
    puzzle_id: Mapped[str] = mapped_column(String(8))
    at: Mapped[datetime] = mapped_column(default_factory=utc_now)
    right: Mapped[bool]
    hinted: Mapped[bool] = mapped_column(default=False)
    seconds: Mapped[float]


class Card(Base, kw_only=True):
    """When a puzzle is due again for `solver`; `state` is that of the scheduler."""

    __tablename__ = "cards"

    solver: Mapped[str] = mapped_column(primary_key=True)
    puzzle_id: Mapped[str] = mapped_column(String(8), primary_key=True)
    due: Mapped[datetime]
    state: Mapped[dict[str, Any]]


class Round(Base, kw_only=True):
    """Puzzles that `solver` goes through one after the other, and how far she is.

    `set_name` is the set that they are from, empty if they are not of one. `version` counts the changes of
    `state`, which is that of `motifsearch.trainer.rounds`. `finished` is None as long as it goes on.
    """

    __tablename__ = "rounds"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, init=False)
    solver: Mapped[str] = mapped_column(index=True)
    title: Mapped[str]
    set_name: Mapped[str] = mapped_column(default="")
    started: Mapped[datetime] = mapped_column(default_factory=utc_now)
    finished: Mapped[datetime | None] = mapped_column(default=None)
    version: Mapped[int] = mapped_column(default=0)
    state: Mapped[dict[str, Any]]


def attempts_at(session: Session, ids: Sequence[str]) -> list[Attempt]:
    """Return all attempts at puzzles with these ids, in order of time."""
    found = rows_with(session, select(Attempt), Attempt.puzzle_id, ids)
    return sorted((attempt for (attempt,) in found), key=lambda attempt: attempt.number)


def due_dates(session: Session, solver: str) -> dict[str, datetime]:
    """Return when each puzzle that `solver` has tried is due again (UTC), by its id."""
    dates = session.execute(select(Card.puzzle_id, Card.due).where(Card.solver == solver))
    return {name: in_utc(due) for name, due in dates}
