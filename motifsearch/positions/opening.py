"""The number of opening moves whose positions are not indexed, which is the same for all games of a store."""

from __future__ import annotations

import chess

from chess_motif.errors import StoreError
from db.facts import get_fact, set_fact
from db.store import Store

FACT = "positions_after_move"

# As in the paper (Ganguly et al., SIGIR 2014): the first twelve moves of both sides are not indexed.
OPENING_MOVES = 12

# In the opening, every move of both sides leaves about 1.5 pieces fewer on their initial squares: castling
# moves two, and a capture can take one. With 12 moves, 96 % of the positions at move 9 pass as opening, 36 %
# at move 12, 6 % at move 15, none at move 18 (1,000 master games). Later, the number falls more slowly.
DEVELOPED_PER_MOVE = 1.5

_INITIAL = chess.Board().piece_map()


def opening_moves(store: Store) -> int:
    """Return the number of opening moves (of both sides, as they are numbered). Raises `StoreError`."""
    with store.reading() as session:
        stored = get_fact(session, FACT)
    try:
        return OPENING_MOVES if stored is None else int(stored)
    except ValueError as error:
        raise StoreError(f"the database is damaged: {stored!r:.40} is not a number of moves") from error


def first_ply(start: str, opening: int) -> int:
    """Return the first ply whose position is indexed, after `opening` moves of both sides.

    A game with a set-up position (`start`, a FEN) has no opening.
    """
    return 0 if start else 2 * opening


def set_opening_moves(store: Store, moves: int) -> None:
    """Set the number of opening moves; the index is rebuilt when it is next opened."""
    with store.session() as session:
        set_fact(session, FACT, str(moves))


def is_opening(board: chess.Board, opening: int, move: int | None = None) -> bool:
    """Return whether a position probably belongs to the first `opening` moves.

    `move` is the number of the move to be played, if it is known. Otherwise the number of pieces on their
    initial squares decides.
    """
    if move is not None:
        return move <= opening
    developed = sum(board.piece_at(square) != piece for square, piece in _INITIAL.items())
    return developed < DEVELOPED_PER_MOVE * min(opening, OPENING_MOVES)
