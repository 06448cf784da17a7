"""Colours reversed: White and Black change places, and the board is mirrored from top to bottom.

For whole positions, `chess.Board.mirror` does it.
"""

from __future__ import annotations

import chess


def reversed_move(move: chess.Move) -> chess.Move:
    """Return the same move with colours reversed: `e2e4` becomes `e7e5`."""
    return chess.Move(
        chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion
    )


def reversed_term(term: str) -> str:
    """Return a term of `terms.static` with colours reversed: `b>Nc3` becomes `B>nc6`."""
    name, mark, weight = term.partition("|")
    pieces, file, rank = name[:-2], name[-2], int(name[-1])
    return f"{pieces.swapcase()}{file}{9 - rank}{mark}{weight}"
