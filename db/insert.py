"""Inserting rows of which some may be stored already, in SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from sqlalchemy import Table
from sqlalchemy.orm import Session

from db.models import Base


def insert_new(session: Session, model: type[Base], rows: Sequence[Mapping[str, object]]) -> int:
    """Insert the rows whose keys are new, and return how many. All rows must have the same columns."""
    if not rows:
        return 0
    # Imported when needed: each dialect takes a while to load.
    if session.get_bind().dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert
    else:
        from sqlalchemy.dialects.sqlite import insert  # type: ignore[assignment]
    table = cast(Table, model.__table__)
    statement = insert(table).on_conflict_do_nothing().returning(*table.primary_key)
    return len(session.connection().execute(statement, [dict(row) for row in rows]).all())
