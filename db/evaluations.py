"""Keeping the results of searches, by key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from sqlalchemy import Table, select
from sqlalchemy.orm import Session

from db.insert import insert_new
from db.models import Evaluation
from db.store import Store


def known_evaluations(session: Session, keys: Sequence[bytes]) -> dict[bytes, str]:
    """Return the results that are kept under `keys`, by key."""
    table = cast(Table, Evaluation.__table__)
    rows = session.connection().execute(select(table.c.key, table.c.found).where(table.c.key.in_(keys)))
    return {row.key: row.found for row in rows}


def lookup(store: Store) -> Callable[[Sequence[bytes]], dict[bytes, str]]:
    """Return `known_evaluations` for a store, in a session of its own for each call."""

    def known(keys: Sequence[bytes]) -> dict[bytes, str]:
        with store.reading() as session:
            return known_evaluations(session, keys)

    return known


def keep_evaluations(session: Session, found: Mapping[bytes, str]) -> None:
    """Keep results by key. Those that are kept already stay."""
    insert_new(session, Evaluation, [{"key": key, "found": text} for key, text in found.items()])
