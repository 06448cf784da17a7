"""How much of each game is opening, whose positions are not searched for: one number for a store."""

from __future__ import annotations

from db.facts import get_fact, set_fact
from db.store import Store

FACT = "positions_after_move"

# As in the paper: positions are indexed after the first twelve moves of both sides.
OPENING_MOVES = 12


def opening_moves(store: Store) -> int:
    """Return after how many moves of both sides positions are indexed."""
    with store.reading() as session:
        kept = get_fact(session, FACT)
    return OPENING_MOVES if kept is None else int(kept)


def first_ply(start: str, opening: int) -> int:
    """Return after how many plies of a game its positions are indexed, with `opening` moves left out.

    A game that starts from another position than the usual one has no opening.
    """
    return 0 if start else 2 * opening


def set_opening_moves(store: Store, moves: int) -> None:
    """Change that; the index is then made anew by whoever needs it next."""
    with store.session() as session:
        set_fact(session, FACT, str(moves))
