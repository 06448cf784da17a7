"""Which entry of a network's policy output is which move: the convolutional format of Leela Chess Zero.

The output has 73 planes of 64 squares: entry `64 * plane + square` is the logit of the move that starts on
`square` (0 is a1, 1 is b1, 8 is a2, 63 is h8) and goes where the plane says. The side to move sees the board
from its own end: when Black moves, the ranks are flipped first (0 is a8, and Black's pawns go north).

| planes | the move |
|---|---|
| 0–55 | goes 1–7 squares N (planes 0–6), NE (7–13), E, SE, S, SW, W, NW (49–55) |
| 56–63 | is a knight's: NNE, ENE, ESE, SSE, SSW, WSW, WNW, NNW |
| 64–72 | promotes to a rook, bishop, queen: capturing NW (64–66), going N (67–69), capturing NE (70–72) |

A promotion to a knight has the plane of the move alone (0, 7 or 49). Castling is the move of the king to the
square of its rook.
"""

from __future__ import annotations

import chess

MOVE_PLANES = 73
POLICY_SIZE = 64 * MOVE_PLANES

# (squares to the east, squares to the north), in the order of the planes.
DIRECTIONS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
KNIGHT_MOVES = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
PROMOTIONS = tuple((east, piece) for east in (-1, 0, 1) for piece in (chess.ROOK, chess.BISHOP, chess.QUEEN))

# For a king on e1: where it goes when it castles, and where its rook is.
CASTLING = {chess.G1: chess.H1, chess.C1: chess.A1}


def policy_index(board: chess.Board, move: chess.Move) -> int:
    """Return the entry of a legal move of standard chess."""
    origin, target = move.from_square, move.to_square
    if board.turn == chess.BLACK:
        origin, target = chess.square_mirror(origin), chess.square_mirror(target)
    if origin == chess.E1 and target in CASTLING and board.kings & chess.BB_SQUARES[move.from_square]:
        target = CASTLING[target]
    return _INDEXES[origin, target, None if move.promotion == chess.KNIGHT else move.promotion]


def _indexes() -> dict[tuple[int, int, int | None], int]:
    """Return the entry of each move that some piece could make, by its squares and the piece promoted to."""
    planes: list[tuple[int, int, int | None]] = [
        (distance * east, distance * north, None) for east, north in DIRECTIONS for distance in range(1, 8)
    ]
    planes += [(east, north, None) for east, north in KNIGHT_MOVES]
    planes += [(east, 1, piece) for east, piece in PROMOTIONS]
    indexes = {}
    for plane, (east, north, promotion) in enumerate(planes):
        for origin in chess.SQUARES:
            file, rank = chess.square_file(origin) + east, chess.square_rank(origin) + north
            if 0 <= file < 8 and 0 <= rank < 8:
                indexes[origin, chess.square(file, rank), promotion] = 64 * plane + origin
    return indexes


_INDEXES = _indexes()
