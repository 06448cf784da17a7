"""Keeping what engines found, by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from sqlalchemy import Table, select
from sqlalchemy.orm import Session

from db.insert import insert_new
from db.models import Evaluation


def known_evaluations(session: Session, keys: Sequence[bytes]) -> dict[bytes, str]:
    """Return what is kept under `keys`; those under which nothing is kept are left out."""
    table = cast(Table, Evaluation.__table__)
    rows = session.connection().execute(select(table.c.key, table.c.found).where(table.c.key.in_(keys)))
    return {row.key: row.found for row in rows}


def keep_evaluations(session: Session, found: Mapping[bytes, str]) -> None:
    """Keep what was found, by key; what is there stays."""
    insert_new(session, Evaluation, [{"key": key, "found": text} for key, text in found.items()])
