"""The phase of the game that a puzzle position belongs to, and the kind of endgame.

The phases and kinds of endgame are those of Lichess' themes (https://lichess.org/training/themes), which name
them without saying where one phase ends. The bounds here were set on 26,788 puzzles with themes.
"""

from __future__ import annotations

from collections.abc import Iterator

import chess
from chess import Color

# The most pieces on the board in an endgame, and the fewest in an opening, besides kings and pawns.
ENDGAME_PIECES = 6
OPENING_PIECES = 11

# In an opening each side still has at least this many pieces on its back rank, the king included.
OPENING_UNDEVELOPED = 4
# The last move of an opening.
OPENING_MOVES = 16

# Endgames by the kinds of pieces that are left.
_KINDS: dict[frozenset[chess.PieceType], tuple[str, str]] = {
    frozenset(): ("pawnEndgame", "pawns"),
    frozenset({chess.KNIGHT}): ("knightEndgame", "knights and pawns"),
    frozenset({chess.BISHOP}): ("bishopEndgame", "bishops and pawns"),
    frozenset({chess.ROOK}): ("rookEndgame", "rooks and pawns"),
    frozenset({chess.QUEEN}): ("queenEndgame", "queens and pawns"),
    frozenset({chess.QUEEN, chess.ROOK}): ("queenRookEndgame", "queens, rooks and pawns"),
}

DEFINITIONS = {
    "opening": f"Up to move {OPENING_MOVES}, with at least {OPENING_PIECES} pieces besides kings and pawns, "
    f"and each side's back rank has at least {OPENING_UNDEVELOPED} of its pieces, the king included.",
    "middlegame": "Neither opening nor endgame.",
    "endgame": f"At most {ENDGAME_PIECES} pieces besides kings and pawns.",
} | {name: f"An endgame with only {pieces}." for name, pieces in _KINDS.values()}


def phase_tags(position: chess.Board) -> Iterator[str]:
    """Yield the phase of a position and, if it is an endgame of a kind that has a name, its kind."""
    pieces = position.occupied & ~position.kings & ~position.pawns
    if chess.popcount(pieces) <= ENDGAME_PIECES:
        yield "endgame"
        kinds = frozenset(position.piece_type_at(square) or 0 for square in chess.scan_forward(pieces))
        if kinds in _KINDS:
            yield _KINDS[kinds][0]
    elif (
        chess.popcount(pieces) >= OPENING_PIECES
        and position.fullmove_number <= OPENING_MOVES
        and all(_undeveloped(position, color) >= OPENING_UNDEVELOPED for color in chess.COLORS)
    ):
        yield "opening"
    else:
        yield "middlegame"


def _undeveloped(position: chess.Board, color: Color) -> int:
    """Return how many pieces a side has on its back rank."""
    back_rank = chess.BB_RANK_1 if color == chess.WHITE else chess.BB_RANK_8
    return chess.popcount(position.occupied_co[color] & back_rank)
