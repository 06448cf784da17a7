"""Who was shown which puzzles: a search with the filter `PuzzleFilter.new_to` leaves them out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from db.insert import insert_new
from db.models import Showing


class Shown(NamedTuple):
    """A person or a group, how many puzzles they were shown, and when the last one (UTC)."""

    name: str
    puzzles: int
    last: datetime


def mark_shown(session: Session, name: str, ids: Sequence[str]) -> None:
    """Record that the puzzles with these ids were shown to `name`, a person or a group."""
    insert_new(session, [Showing(name=name, puzzle_id=id_) for id_ in ids])


def all_shown(session: Session) -> list[Shown]:
    """Return everyone who was shown puzzles, by name."""
    columns = select(Showing.name, func.count(), func.max(Showing.at))
    return [Shown(*row) for row in session.execute(columns.group_by(Showing.name).order_by(Showing.name))]


def delete_shown(session: Session, name: str) -> int:
    """Delete the records of what `name` was shown; return how many there were."""
    forgotten = session.execute(delete(Showing).where(Showing.name == name).returning(Showing.puzzle_id))
    return len(forgotten.all())
