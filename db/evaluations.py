"""Storing the results of engine searches by key (see `engines.search_cache`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from sqlalchemy import Table, select
from sqlalchemy.orm import Session

from db.insert import insert_new
from db.models import Evaluation
from db.store import Store


def known_evaluations(session: Session, keys: Sequence[bytes]) -> dict[bytes, str]:
    """Return the results that are stored under any of `keys`, by key."""
    table = cast(Table, Evaluation.__table__)
    rows = session.connection().execute(select(table.c.key, table.c.found).where(table.c.key.in_(keys)))
    return {row.key: row.found for row in rows}


def lookup(store: Store) -> Callable[[Sequence[bytes]], dict[bytes, str]]:
    """Return a function that calls `known_evaluations` on `store`, in a new session each time."""

    def known(keys: Sequence[bytes]) -> dict[bytes, str]:
        with store.reading() as session:
            return known_evaluations(session, keys)

    return known


def keep_evaluations(session: Session, results: Mapping[bytes, str]) -> None:
    """Store results by key. Those that are stored already are not replaced."""
    insert_new(session, Evaluation, [{"key": key, "found": text} for key, text in results.items()])
