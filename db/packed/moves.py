"""How likely the moves of a position are: a small network with one hidden layer.

A move is scored by the piece and the square it leaves, and by the piece and the square it goes to. All
numbers are integers, as in `placement`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import chess
import numpy as np
import numpy.typing as npt

from db.packed.entropy import Weights
from db.packed.placement import LOWEST, TOP


def possible_moves(board: chess.Board) -> list[int]:
    """Return all legal moves, and some that leave the king in check, as numbers in ascending order.

    Testing every move would take longer than the few bits are worth that it saves. In check it pays.
    """
    moves = board.generate_legal_moves() if board.is_check() else board.generate_pseudo_legal_moves()
    return sorted([move.from_square << 9 | move.to_square << 3 | (move.promotion or 0) for move in moves])


def move_of(number: int) -> chess.Move:
    """Return the move that has a number of `possible_moves`."""
    return chess.Move(number >> 9, number >> 3 & 63, number & 7 or None)


class MoveModel(NamedTuple):
    """The network.

    `squares` is what each piece on each square adds to the hidden units: 12 pieces by 64 squares. `origins`
    and `targets` make the logits of the moves of these pieces from and to each square, in units of `scale`.
    """

    base: npt.NDArray[np.float64]
    squares: npt.NDArray[np.float64]
    origins: npt.NDArray[np.float64]
    targets: npt.NDArray[np.float64]
    scale: npt.NDArray[np.float64]
    exponentials: Weights

    def weights(self, boards: Sequence[chess.Board], moves: Sequence[Sequence[int]]) -> Weights:
        """Return how likely each of the moves of each position is, in proportion.

        There is a row for each position. Rows with fewer moves end with zeros.
        """
        row, piece = np.nonzero(_pieces(boards))
        first = np.empty((len(boards), 64), np.intp)
        first[row, piece & 63] = piece & ~63
        starts = np.flatnonzero(np.diff(row, prepend=-1))
        hidden = np.add.reduceat(self.squares[piece], starts) + self.base
        active = np.minimum(np.maximum(hidden, 0), TOP)

        # A coder needs two symbols to choose from.
        is_move = np.arange(max(2, *map(len, moves))) < np.array([[len(each)] for each in moves])
        numbers = np.zeros(is_move.shape, np.intp)
        numbers[is_move] = list(chain.from_iterable(moves))
        origins, targets = numbers >> 9, numbers >> 3 & 63
        kinds = np.take_along_axis(first, origins, 1) * is_move
        rows = self.origins[kinds + origins] + self.targets[kinds + targets]
        logits = np.where(is_move, (rows @ active[:, :, None])[:, :, 0], -np.inf)
        below = (np.maximum.reduce(logits, 1, keepdims=True) - logits) * self.scale
        return self.exponentials[np.minimum(below, LOWEST).astype(np.intp)] * is_move


def _pieces(boards: Sequence[chess.Board]) -> npt.NDArray[np.uint8]:
    """Return for each position which pieces are on which squares: 64 bits a kind, White's pawns first."""
    masks = []
    for board in boards:
        kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
        white, black = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
        masks.append([kind & white for kind in kinds] + [kind & black for kind in kinds])
    return np.unpackbits(np.array(masks, "<u8").view(np.uint8), axis=1, bitorder="little")
