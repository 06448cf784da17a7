"""The order of positions in a file: by material, then by pawns, so that what is alike is near.

The material is the index key of McKenzie (1994), section 5. Pawns come next because few moves change them: a
material that fills several blocks is divided into groups of positions that follow from one another.
"""

from __future__ import annotations

import chess

# Bytes of a material: how many queens, rooks, bishops, knights and pawns White has, then Black.
MATERIAL_BYTES = 10

# Bytes of a sort key.
KEY_BYTES = MATERIAL_BYTES + 16

_KINDS = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN)
_PIECES = tuple((kind, color) for color in (chess.WHITE, chess.BLACK) for kind in _KINDS)

# The pawns in the middle say most about a position, and come first.
_FILES = tuple(chess.BB_FILES[file] for file in (3, 4, 2, 5, 1, 6, 0, 7))


def material_key(board: chess.Board) -> bytes:
    """Return the material of a position: `MATERIAL_BYTES` counts."""
    return bytes(board.pieces_mask(kind, color).bit_count() for kind, color in _PIECES)


def sort_key(board: chess.Board) -> bytes:
    """Return the place of a position in the order of a file: its material, then its pawns."""
    white, black = (board.pieces_mask(chess.PAWN, color) for color in (chess.WHITE, chess.BLACK))
    return material_key(board) + bytes(_ranks(pawns & file) for file in _FILES for pawns in (white, black))


def _ranks(pawns: int) -> int:
    """Return which ranks have pawns, as one byte, for pawns on one file."""
    return sum(1 << square // 8 for square in chess.scan_forward(pawns))


def after_captures(material: bytes, captures: int) -> list[bytes]:
    """Return this material, and all that up to `captures` captures lead to (section 5), fewest first."""
    found = reached = [material]
    for _ in range(captures):
        fewer = (_without(each, index) for each in reached for index, count in enumerate(each) if count)
        reached = list(dict.fromkeys(fewer))
        found = found + reached
    return found


def _without(material: bytes, index: int) -> bytes:
    return material[:index] + bytes([material[index] - 1]) + material[index + 1 :]
