"""The input and output of a network, in Leela Chess Zero's formats: positions as planes, moves as entries.

The side to move sees the board from its own end: when Black moves, the ranks are flipped (Black's pawns go
north).

The input is 112 planes in the classical format. Row 0 is the mover's first rank, column 0 the a-file.

| planes | what they show |
|---|---|
| 0–5 | the mover's pawns, knights, bishops, rooks, queens, king |
| 6–11 | the same pieces of the opponent |
| 12 | ones if the position has occurred before |
| 13–103 | planes 0–12 for each of the seven positions before it, latest first |
| 104, 105 | ones if the mover may still castle queenside, kingside |
| 106, 107 | the same for the opponent |
| 108 | ones if Black is to move |
| 109 | the halfmove clock, not scaled |
| 110 | zeros |
| 111 | ones |

The positions before are those of the board's move stack. Before the start position of chess there are zeros.
Any other first position is repeated, since zeros would ruin the predictions. If that position has an
en-passant square, the repeats show the pawn before its double step, since no other plane tells that the pawn
has just moved.

The policy is 73 planes of 64 squares in the convolutional format: entry `64 * plane + square` is the logit of
the move that starts on `square` (0 is a1, 1 is b1, 8 is a2, 63 is h8, and for Black 0 is a8) and goes where
the plane says.

| planes | the move |
|---|---|
| 0–55 | goes 1–7 squares N (planes 0–6), NE (7–13), E, SE, S, SW, W, NW (49–55) |
| 56–63 | is a knight's: NNE, ENE, ESE, SSE, SSW, WSW, WNW, NNW |
| 64–72 | promotes to a rook, bishop, queen: capturing NW (64–66), going N (67–69), capturing NE (70–72) |

A promotion to a knight has the plane of the plain pawn move (0, 7 or 49). Castling is a move of the king to
the square of the rook.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import islice

import chess
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

PLANES = 112

# The positions that the planes show, including the current one, and the number of planes for each.
HISTORY = 8
PLANES_OF_POSITION = 13
PIECE_PLANES = 12
HISTORY_PLANES = HISTORY * PLANES_OF_POSITION

# The least number of reversible plies that repeat a position.
SHORTEST_REPETITION = 4

MOVE_PLANES = 73
POLICY_SIZE = 64 * MOVE_PLANES

# (squares to the east, squares to the north), in the order of the planes.
DIRECTIONS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
KNIGHT_MOVES = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
PROMOTIONS = tuple((east, piece) for east in (-1, 0, 1) for piece in (chess.ROOK, chess.BISHOP, chess.QUEEN))

# For a king on e1, by its target square when castling: the square of the rook.
CASTLING = {chess.G1: chess.H1, chess.C1: chess.A1}

# The six kinds of pieces, White's pieces, Black's pieces.
Bitboards = tuple[int, ...]


def encode(boards: Sequence[chess.Board]) -> Array:
    """Return the planes of positions of standard chess: an array of shape (positions, 112, 8, 8)."""
    count = len(boards)
    history, repeated = array("Q"), np.zeros((count, HISTORY), np.uint64)
    planes = np.empty((count, PLANES, 64), np.float32)
    for number, board in enumerate(boards):
        positions, repetitions = _history(board)
        for bitboards in positions:
            history.extend(bitboards)
        repeated[number, repetitions] = chess.BB_ALL
        planes[number, HISTORY_PLANES:] = _flags(board)

    bits = np.empty((count, HISTORY, PLANES_OF_POSITION), "<u8")
    bits[..., :PIECE_PLANES] = _seen_by_mover(boards, np.array(history, "<u8").reshape(count, HISTORY, 8))
    bits[..., 12] = repeated
    squares = np.unpackbits(bits.view(np.uint8), axis=-1, bitorder="little")
    planes[:, :HISTORY_PLANES] = squares.reshape(count, HISTORY_PLANES, 64)
    return planes.reshape(count, PLANES, 8, 8)


def encode_pieces(boards: Sequence[chess.Board]) -> Array:
    """Return planes 0–11 of positions, many times faster than `encode`: shape (positions, 12, 8, 8)."""
    kinds = np.array([_bitboards(board) for board in boards], "<u8").reshape(len(boards), 1, 8)
    squares = np.unpackbits(_seen_by_mover(boards, kinds).view(np.uint8), axis=-1, bitorder="little")
    return squares.reshape(len(boards), PIECE_PLANES, 8, 8).astype(np.float32)


def _seen_by_mover(boards: Sequence[chess.Board], kinds: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the bitboards of the mover's pieces by kind, then of the opponent's."""
    black = np.array([not board.turn for board in boards], np.bool_).reshape(len(boards), 1, 1)
    kinds = np.where(black, kinds.byteswap(), kinds)
    mover = np.where(black, kinds[..., 7:], kinds[..., 6:7])
    return np.concatenate([kinds[..., :6] & mover, kinds[..., :6] & ~mover], axis=-1)


def _bitboards(board: chess.Board) -> Bitboards:
    return (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        board.occupied_co[chess.BLACK],
    )


def _history(board: chess.Board) -> tuple[list[Bitboards], list[int]]:
    """Return the last `HISTORY` positions, latest first, and the indices of the repeated ones among them."""
    positions, clocks = [], []
    for position in _positions(board, HISTORY - 1):
        positions.append(_bitboards(position))
        clocks.append(position.halfmove_clock)
    if missing := HISTORY - len(positions):
        positions += missing * [_before(position)]
    return positions, _repetitions(board, clocks)


def _repetitions(board: chess.Board, clocks: Sequence[int]) -> list[int]:
    """Return the indices of the last positions, with these halfmove `clocks`, that had occurred before."""
    candidates = {age: clock for age, clock in enumerate(clocks) if clock >= SHORTEST_REPETITION}
    if not candidates:
        return []
    plies = max(age + clock for age, clock in candidates.items())
    positions = enumerate(islice(_positions(board, plies), len(clocks)))
    return [age for age, position in positions if age in candidates and position.is_repetition(2)]


def _positions(board: chess.Board, plies: int) -> Iterator[chess.Board]:
    """Yield the position and up to `plies` positions before it, latest first, always on the same board."""
    position = board.copy(stack=plies)
    yield position
    while position.move_stack:
        position.pop()
        yield position


def _before(first: chess.Board) -> Bitboards:
    """Return the bitboards that stand for the time before the first position of a move stack."""
    pawns, *pieces, white, black = position = _bitboards(first)
    if position == START:
        return EMPTY
    if first.has_pseudo_legal_en_passant():
        assert first.ep_square is not None
        ranks = (chess.BB_RANK_5 | chess.BB_RANK_7) if first.turn else (chess.BB_RANK_2 | chess.BB_RANK_4)
        step = ranks & chess.BB_FILES[chess.square_file(first.ep_square)]
        pawns ^= step
        white, black = (white, black ^ step) if first.turn else (white ^ step, black)
    return (pawns, *pieces, white, black)


def _flags(board: chess.Board) -> list[list[int]]:
    """Return the values of the planes that are the same on all squares."""
    rights = board.clean_castling_rights()
    white, black = [
        [bool(rights & chess.BB_RANKS[rank] & chess.BB_FILES[file]) for file in (0, 7)] for rank in (0, 7)
    ]
    own, other = (white, black) if board.turn else (black, white)
    return [[value] for value in (*own, *other, not board.turn, board.halfmove_clock, 0, 1)]


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


START = _bitboards(chess.Board())
EMPTY = _bitboards(chess.Board(None))

_INDEXES = _indexes()
