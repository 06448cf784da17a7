"""Attempts at puzzles, when each puzzle is due again, and rounds of several puzzles.

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
    """An attempt of `solver` at a puzzle: whether all moves were right at once, and the `seconds`.

    `hinted` says whether a hint named the piece to move.
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
    """When a puzzle is due again for `solver`; `state` is the scheduler's."""

    __tablename__ = "cards"

    solver: Mapped[str] = mapped_column(primary_key=True)
    puzzle_id: Mapped[str] = mapped_column(String(8), primary_key=True)
    due: Mapped[datetime]
    state: Mapped[dict[str, Any]]


class Round(Base, kw_only=True):
    """Puzzles that `solver` goes through one after the other.

    `set_name` is the set of the puzzles, empty if they are from none. `state` is written by
    `motifsearch.trainer.rounds`, and `version` counts its changes. `finished` is None while the round goes
    on.
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
