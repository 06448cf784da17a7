"""Named facts about the store itself."""

from __future__ import annotations

from sqlalchemy.orm import Session

from db.models import StoreFact


def get_fact(session: Session, name: str) -> str | None:
    """Return the value of the fact `name`, None if there is none."""
    fact = session.get(StoreFact, name)
    return None if fact is None else fact.value


def set_fact(session: Session, name: str, value: str) -> None:
    """Store the fact `name`, replacing its earlier value."""
    session.merge(StoreFact(name=name, value=value))
