"""The number of opening moves whose positions are not indexed: one for all games of a store."""

from __future__ import annotations

from db.facts import get_fact, set_fact
from db.store import Store

FACT = "positions_after_move"

# As in the paper: positions are indexed after the first twelve moves of both sides.
OPENING_MOVES = 12


def opening_moves(store: Store) -> int:
    """Return the number of opening moves of both sides."""
    with store.reading() as session:
        kept = get_fact(session, FACT)
    return OPENING_MOVES if kept is None else int(kept)


def first_ply(start: str, opening: int) -> int:
    """Return the first ply whose position is indexed, after `opening` moves of both sides.

    A game that starts from a position of its own has no opening.
    """
    return 0 if start else 2 * opening


def set_opening_moves(store: Store, moves: int) -> None:
    """Set the number of opening moves; whoever opens the index next rebuilds it."""
    with store.session() as session:
        set_fact(session, FACT, str(moves))
