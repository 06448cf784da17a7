"""Named facts about the store itself."""

from __future__ import annotations

from sqlalchemy.orm import Session

from db.models import StoreFact


def get_fact(session: Session, name: str) -> str | None:
    """Return the fact with a name, None if there is none."""
    found = session.get(StoreFact, name)
    return None if found is None else found.value


def set_fact(session: Session, name: str, value: str) -> None:
    """Store a fact under a name, in place of an earlier one."""
    session.merge(StoreFact(name=name, value=value))
