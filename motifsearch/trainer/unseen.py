"""Puzzles that pass a filter, those that somebody has not tried first."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import BigInteger, ColumnElement, cast, select
from sqlalchemy.orm import Session

from db.attempts import tried_by
from db.models import Puzzle
from db.puzzles import PuzzleFilter, filtered

# A prime above all numbers of puzzles, and a primitive root of it, whose powers spread them well.
_PRIME = 2**31 - 1
_ROOT = 48_271


def unseen_first(
    session: Session,
    filters: PuzzleFilter,
    solver: str,
    limit: int,
    *,
    seed: int = 0,
    left_out: Collection[str] = (),
) -> list[str]:
    """Return the ids of puzzles that pass, first those that `solver` has not tried, oldest first.

    With a `seed`, they are shuffled. Raises `InputError` for a tag or a source that does not exist.
    """
    order: ColumnElement[int] = Puzzle.number.expression
    if seed:
        # Unlike a sample, this needs no memory for all of them.
        order = cast(Puzzle.number, BigInteger) * pow(_ROOT, seed + 9, _PRIME) % _PRIME
    passing = filtered(session, select(Puzzle.id), filters).where(Puzzle.id.not_in(left_out))
    tried = tried_by(solver)
    found: list[str] = []
    for condition in (~tried, tried):
        some = passing.where(condition).order_by(order).limit(limit - len(found))
        found += session.scalars(some)
    return found
