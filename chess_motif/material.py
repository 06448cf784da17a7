"""Material: the value of the pieces, and the pieces of both sides as one word such as `KRPP-KBP`.

White's pieces come first, those of each side in the order K Q R B N P.
"""

from __future__ import annotations

from typing import NamedTuple

import chess

from chess_motif.errors import InputError

# In pawns.
PIECE_VALUES = {
    chess.PAWN: 1,
    chess.KNIGHT: 3,
    chess.BISHOP: 3,
    chess.ROOK: 5,
    chess.QUEEN: 9,
    chess.KING: 0,
}

_KINDS = (chess.KING, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN)
_LETTERS = "".join(chess.piece_symbol(kind).upper() for kind in _KINDS)

# The most pieces that a side can have, pawns included, and the most pawns.
_MOST_PIECES, _MOST_PAWNS = 16, 8


def material_value(board: chess.Board, side: chess.Color) -> int:
    """Return the value of the pieces of `side` in pawns, without the king."""
    return sum(value * chess.popcount(board.pieces_mask(kind, side)) for kind, value in PIECE_VALUES.items())


def material_balance(board: chess.Board, side: chess.Color) -> int:
    """Return by how many pawns' worth of material `side` is ahead; negative if it is behind."""
    return material_value(board, side) - material_value(board, not side)


def gained(captured: chess.PieceType | None, promotion: chess.PieceType | None) -> int:
    """Return the material that a move wins, in pawns; either piece may be None."""
    won = PIECE_VALUES[captured] if captured else 0
    return won + PIECE_VALUES[promotion] - PIECE_VALUES[chess.PAWN] if promotion else won


def material_of(board: chess.Board) -> str:
    """Return the pieces of both sides as a word such as `KRPP-KBP`."""
    return "-".join(
        "".join(
            chess.piece_symbol(kind).upper() * chess.popcount(board.pieces_mask(kind, color))
            for kind in _KINDS
        )
        for color in (chess.WHITE, chess.BLACK)
    )


def parse_material(text: str) -> str:
    """Return a word as `material_of` does, for letters in any case and order. Raises `InputError`."""
    sides = text.upper().split("-")
    if len(sides) != 2 or not all(map(_is_possible, sides)):
        raise InputError(f"{text!r} does not name the pieces of White and Black, such as KRPP-KBP")
    return "-".join("".join(sorted(side, key=_LETTERS.index)) for side in sides)


def _is_possible(side: str) -> bool:
    known = all(letter in _LETTERS for letter in side)
    return known and side.count("K") == 1 and side.count("P") <= _MOST_PAWNS and len(side) <= _MOST_PIECES


class Capture(NamedTuple):
    """A capture: the square that the capturing piece moves to, and what it captures."""

    square: chess.Square
    kind: chess.PieceType


def capture_by(before: chess.Board, move: chess.Move) -> Capture | None:
    """Return the capture that a move makes, or None."""
    if not before.is_capture(move):
        return None
    # The square is only empty in an en-passant capture.
    return Capture(move.to_square, before.piece_type_at(move.to_square) or chess.PAWN)


def capture_in(fen: str, uci: str) -> Capture | None:
    """Return the capture by a legal move, as `capture_by` does, but without setting up a board."""
    origin, target = chess.parse_square(uci[:2]), chess.parse_square(uci[2:4])
    moves, taken = _symbol_in(fen, origin), _symbol_in(fen, target)
    if taken:
        # Castling may be written as a capture of the own rook.
        is_own = moves.isupper() == taken.isupper()
        return None if is_own else Capture(target, chess.PIECE_SYMBOLS.index(taken.lower()))
    is_en_passant = moves in ("P", "p") and uci[0] != uci[2]
    return Capture(target, chess.PAWN) if is_en_passant else None


def _symbol_in(fen: str, square: chess.Square) -> str:
    """Return the symbol of the piece on a square, empty if there is none."""
    rank = fen.partition(" ")[0].split("/")[7 - chess.square_rank(square)]
    return "".join(" " * int(each) if each.isdigit() else each for each in rank)[square & 7].strip()
