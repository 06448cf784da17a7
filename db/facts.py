"""Named facts about a store."""

from __future__ import annotations

from sqlalchemy.orm import Session

from db.models import StoreFact


def get_fact(session: Session, name: str) -> str | None:
    """Return the fact of a name; None where there is none."""
    found = session.get(StoreFact, name)
    return None if found is None else found.value


def set_fact(session: Session, name: str, value: str) -> None:
    """Keep a fact under a name, in place of the one before."""
    session.merge(StoreFact(name=name, value=value))
