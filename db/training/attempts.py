"""Attempts at puzzles, and when each puzzle is due again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.training.models import Attempt, Card


def add_attempt(
    session: Session, solver: str, puzzle_id: str, *, right: bool, seconds: float, at: datetime
) -> None:
    """Store an attempt of `solver`: whether all moves were right at once, and the time that it took."""
    session.add(Attempt(solver=solver, puzzle_id=puzzle_id, right=right, seconds=seconds, at=at))


def card_state(session: Session, solver: str, puzzle_id: str) -> dict[str, Any] | None:
    """Return the scheduler's state of a puzzle for `solver`, None if it was never tried."""
    card = session.get(Card, (solver, puzzle_id))
    return None if card is None else card.state


def save_card(session: Session, solver: str, puzzle_id: str, due: datetime, state: dict[str, Any]) -> None:
    """Store when a puzzle is due again for `solver`, with the scheduler's state of it."""
    session.merge(Card(solver=solver, puzzle_id=puzzle_id, due=due, state=state))


def due_dates(session: Session, solver: str) -> dict[str, datetime]:
    """Return when each puzzle that `solver` has tried is due again (UTC), by its id."""
    dates = session.execute(select(Card.puzzle_id, Card.due).where(Card.solver == solver))
    # SQLite does not store the time zone.
    return {name: due if due.tzinfo else due.replace(tzinfo=UTC) for name, due in dates}
