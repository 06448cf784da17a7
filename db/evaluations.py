"""Storing the results of engine searches (see `engines.search_cache`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

from sqlalchemy import Table, func, select
from sqlalchemy.orm import Session

from chess_motif.search import Search
from db.models import Evaluation
from db.packed.position import pack_simply, unpack_simply
from db.packed.verdicts import PackedEntry, Verdict
from db.store import Store, insert_new

_TABLE = cast(Table, Evaluation.__table__)


def lookup(store: Store) -> Callable[[Sequence[Search]], dict[Search, str]]:
    """Return a function that looks up the results of searches in `store`."""

    def known(searches: Sequence[Search]) -> dict[Search, str]:
        by_key = {search.key: search for search in searches}
        query = select(_TABLE.c.key, _TABLE.c.found).where(_TABLE.c.key.in_(by_key))

        def found(session: Session) -> dict[Search, str]:
            return {by_key[row.key]: row.found for row in session.connection().execute(query)}

        return store.transact(found, reading=True)

    return known


def keep_evaluations(session: Session, results: Mapping[Search, str]) -> None:
    """Store the results of searches. Stored results are not replaced."""
    rows = [
        Evaluation(
            key=search.key,
            found=found,
            position=pack_simply(search.board()),
            clock=search.clock,
            settings=search.settings,
            nodes=search.nodes,
            lines=search.lines,
            depth=search.depth,
        )
        for search, found in results.items()
    ]
    insert_new(session, rows)


def evaluated_positions(session: Session) -> Iterator[PackedEntry]:
    """Yield the position of each stored search with its verdict, except searches stored without a position.

    Raises `StoreError` if a position is damaged.
    """
    columns = [_TABLE.c[name] for name in ("position", *Verdict._fields)]
    query = select(*columns).where(_TABLE.c.position.is_not(None)).execution_options(yield_per=1000)
    with session.connection().execute(query) as rows:
        for position, *verdict in rows:
            yield PackedEntry(unpack_simply(position), [Verdict(*verdict)])


def count_evaluations(session: Session) -> tuple[int, int]:
    """Return how many searches are stored with their position, and how many (by older versions) without."""
    total, known = session.execute(select(func.count(), func.count(Evaluation.position))).one()
    return known, total - known
