"""Changes of puzzles, numbered in the order of the commits.

Every transaction that stores, changes or deletes puzzles takes the next number just before its commit, and no
other transaction gets a number until then. So a reader that has seen a number, and asks for all later
changes, misses nothing, however many programs write and however long they run.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import BigInteger, Text, cast, event, select, update
from sqlalchemy.orm import Session

from chess_motif.errors import StoreError
from db.models import DeletedPuzzle, Puzzle, StoreFact
from db.store import get_fact

# The name of the fact with the number of the last change.
LAST_CHANGE = "last change"


def last_change(session: Session) -> int:
    """Return the number of the last change that a session sees. Later changes have higher numbers.

    Raises `StoreError` if the database is damaged.
    """
    number = get_fact(session, LAST_CHANGE) or "0"
    if not number.isdecimal():
        raise StoreError(f"the database is damaged: its last change has the number {number!r:.40}")
    return int(number)


def deleted_since(session: Session, change: int) -> Iterator[DeletedPuzzle]:
    """Yield the puzzles that were deleted after a change, and not stored again, in the order of deletion."""
    query = select(DeletedPuzzle).where(DeletedPuzzle.change > change)
    yield from session.scalars(query.order_by(DeletedPuzzle.change, DeletedPuzzle.id))


def number_changes(session: Session) -> None:
    """At the commit of a session, give its number to all rows whose `change` it has set to None."""
    if not event.contains(session, "before_commit", _number):
        event.listen(session, "before_commit", _number)


def _number(session: Session) -> None:
    # The row of the fact stays locked until the commit.
    following = cast(cast(StoreFact.value, BigInteger) + 1, Text)
    fact = update(StoreFact).where(StoreFact.name == LAST_CHANGE).values(value=following)
    number = int(session.scalars(fact.returning(StoreFact.value)).one())
    for table in (Puzzle, DeletedPuzzle):
        session.execute(update(table).where(table.change.is_(None)).values(change=number))
