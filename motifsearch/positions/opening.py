"""The number of opening moves whose positions are not indexed, which is the same for all games of a store."""

from __future__ import annotations

from db.facts import get_fact, set_fact
from db.store import Store

FACT = "positions_after_move"

# As in the paper (Ganguly et al., SIGIR 2014): the first twelve moves of both sides are not indexed.
OPENING_MOVES = 12


def opening_moves(store: Store) -> int:
    """Return the number of opening moves (of both sides, as they are numbered)."""
    with store.reading() as session:
        stored = get_fact(session, FACT)
    return OPENING_MOVES if stored is None else int(stored)


def first_ply(start: str, opening: int) -> int:
    """Return the first ply whose position is indexed, after `opening` moves of both sides.

    A game with a set-up position (`start`, a FEN) has no opening.
    """
    return 0 if start else 2 * opening


def set_opening_moves(store: Store, moves: int) -> None:
    """Set the number of opening moves; the index is rebuilt when it is next opened."""
    with store.session() as session:
        set_fact(session, FACT, str(moves))
