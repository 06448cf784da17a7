"""Which pieces both sides have, as one word: `KRPP-KBP`, White first, each side in the order K Q R B N P."""

from __future__ import annotations

import chess

from chess_motif.errors import InputError

_KINDS = (chess.KING, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN)
_LETTERS = "".join(chess.piece_symbol(kind).upper() for kind in _KINDS)

# The most men of a side, and of its pawns.
MEN, PAWNS = 16, 8


def material_of(board: chess.Board) -> str:
    """Return the pieces of both sides, such as `KRPP-KBP`."""
    return "-".join(
        "".join(
            chess.piece_symbol(kind).upper() * chess.popcount(board.pieces_mask(kind, color))
            for kind in _KINDS
        )
        for color in (chess.WHITE, chess.BLACK)
    )


def parse_material(text: str) -> str:
    """Return the word for the pieces that a person writes in any case and order. Raises `InputError`."""
    sides = text.upper().split("-")
    if len(sides) != 2 or not all(map(_possible, sides)):
        raise InputError(f"{text!r} is not the pieces of White and Black, such as KRPP-KBP")
    return "-".join("".join(sorted(side, key=_LETTERS.index)) for side in sides)


def _possible(side: str) -> bool:
    known = all(letter in _LETTERS for letter in side)
    return known and side.count("K") == 1 and side.count("P") <= PAWNS and len(side) <= MEN
