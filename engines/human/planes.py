"""A position as the 112 input planes of Leela Chess Zero's classical format.

The side to move sees the planes from its own end: when Black moves, the ranks are flipped. Row 0 is the
mover's first rank, column 0 the a-file.

| planes | what they show |
|---|---|
| 0–12 | the position: the mover's pawns, knights, bishops, rooks, queens, king (0–5), the opponent's (6–11), and ones if the position has occurred before (12) |
| 13–103 | the same for each of the seven positions before it, latest first |
| 104, 105 | ones if the mover may still castle queenside, kingside |
| 106, 107 | the same for the opponent |
| 108 | ones if Black is to move |
| 109 | the halfmove clock, not scaled |
| 110 | zeros |
| 111 | ones |

The positions before are those of the board's move stack. Before the start position of chess there are zeros. Any
other first position is repeated, since zeros before it would ruin the predictions; if it has an en passant
square, the repeats show the pawn before its double step, since no other plane tells that it just moved.
"""  # noqa: E501 - a row of the table is one line

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import islice

import chess
import numpy as np
import numpy.typing as npt

PLANES = 112

# Positions that the planes show, the current one included, and the planes of each.
HISTORY = 8
PLANES_OF_POSITION = 13
PIECE_PLANES = 12
HISTORY_PLANES = HISTORY * PLANES_OF_POSITION

# Reversible moves that it takes to reach the same position again.
SHORTEST_REPETITION = 4

# The six kinds of pieces, White's pieces, Black's pieces.
Bitboards = tuple[int, ...]


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


START = _bitboards(chess.Board())
EMPTY = _bitboards(chess.Board(None))


def encode(boards: Sequence[chess.Board]) -> npt.NDArray[np.float32]:
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


def encode_pieces(boards: Sequence[chess.Board]) -> npt.NDArray[np.float32]:
    """Return planes 0–11 of positions, many times faster: an array of shape (positions, 12, 8, 8)."""
    kinds = np.array([_bitboards(board) for board in boards], "<u8").reshape(len(boards), 1, 8)
    squares = np.unpackbits(_seen_by_mover(boards, kinds).view(np.uint8), axis=-1, bitorder="little")
    return squares.reshape(len(boards), PIECE_PLANES, 8, 8).astype(np.float32)


def _seen_by_mover(boards: Sequence[chess.Board], kinds: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the bitboards of the mover's pieces by kind, then the opponent's, from those in `Bitboards`."""
    black = np.array([not board.turn for board in boards], np.bool_).reshape(len(boards), 1, 1)
    kinds = np.where(black, kinds.byteswap(), kinds)
    mover = np.where(black, kinds[..., 7:], kinds[..., 6:7])
    return np.concatenate([kinds[..., :6] & mover, kinds[..., :6] & ~mover], axis=-1)


def _history(board: chess.Board) -> tuple[list[Bitboards], list[int]]:
    """Return the last `HISTORY` positions, latest first, and the numbers of those that are repetitions."""
    positions, clocks = [], []
    for position in _positions(board, HISTORY - 1):
        positions.append(_bitboards(position))
        clocks.append(position.halfmove_clock)
    if missing := HISTORY - len(positions):
        positions += missing * [_before(position)]
    return positions, _repetitions(board, clocks)


def _repetitions(board: chess.Board, clocks: Sequence[int]) -> list[int]:
    """Return which of the last positions, whose halfmove clocks are `clocks`, had occurred before."""
    candidates = {age: clock for age, clock in enumerate(clocks) if clock >= SHORTEST_REPETITION}
    if not candidates:
        return []
    plies = max(age + clock for age, clock in candidates.items())
    positions = enumerate(islice(_positions(board, plies), len(clocks)))
    return [age for age, position in positions if age in candidates and position.is_repetition(2)]


def _positions(board: chess.Board, plies: int) -> Iterator[chess.Board]:
    """Yield the position and up to `plies` positions before it, latest first: one board, which changes."""
    position = board.copy(stack=plies)
    yield position
    while position.move_stack:
        position.pop()
        yield position


def _before(first: chess.Board) -> Bitboards:
    """Return what the planes show before the first position of a move stack."""
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
