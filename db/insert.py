"""Inserting rows of which some may be stored already, in SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from sqlalchemy import Table
from sqlalchemy.orm import Session

from db.models import Base


def insert_new(session: Session, rows: Sequence[Base]) -> int:
    """Insert those of the rows, all of one table, whose keys are new; return how many.

    The database numbers them, unless they have numbers. The rows themselves do not change, and do not become
    part of the session: this is many times faster than adding them to it.
    """
    if not rows:
        return 0
    # Imported when needed: each dialect takes a while to load.
    if session.get_bind().dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert
    else:
        from sqlalchemy.dialects.sqlite import insert  # type: ignore[assignment]
    table = cast(Table, rows[0].__table__)
    # The other columns, such as the number, are left to the database and to their defaults.
    given: set[str] = set().union(*map(vars, rows))
    names = [column.name for column in table.columns if column.name in given]
    values = [{name: getattr(row, name) for name in names} for row in rows]
    statement = insert(table).on_conflict_do_nothing().returning(*table.primary_key)
    return len(session.connection().execute(statement, values).all())
