"""How likely the moves of a position are: a small network with one hidden layer.

A move is scored by the piece and the square it leaves, and by the piece and the square it goes to. All
numbers are integers, as in `placement`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain
from typing import NamedTuple

import chess
import numpy as np
import numpy.typing as npt

from db.packed.entropy import Weights
from db.packed.placement import LOWEST, TOP
from db.packed.position import kinds_of

# Pieces on squares: 12 kinds on 64.
NUMBERS = 12 * 64


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
        pieces = _pieces(boards)
        counts = [board.occupied.bit_count() for board in boards]
        hidden = np.add.reduceat(self.squares[pieces % NUMBERS], _starts(counts)) + self.base
        active = np.minimum(np.maximum(hidden, 0), TOP)
        # What a piece's number is above that of its square, by position and square.
        first = np.empty(64 * len(boards), np.intp)
        board_of_piece = pieces // NUMBERS
        first[64 * board_of_piece + pieces % 64] = pieces % NUMBERS - pieces % 64

        lengths = [len(each) for each in moves]
        starts = _starts(lengths)
        board_of_move = np.repeat(np.arange(len(boards)), lengths)
        numbers = np.array(list(chain.from_iterable(moves)))
        origins, targets = numbers >> 9, numbers >> 3 & 63
        kinds = first[64 * board_of_move + origins]
        rows = self.origins[kinds + origins] + self.targets[kinds + targets]
        logits = np.einsum("ij,ij->i", rows, active[board_of_move])
        below = (np.maximum.reduceat(logits, starts)[board_of_move] - logits) * self.scale
        # A coder needs two symbols to choose from.
        weights = np.zeros((len(boards), max(2, *lengths)), np.float32)
        columns = np.arange(len(numbers)) - np.array(starts)[board_of_move]
        weights[board_of_move, columns] = self.exponentials[np.minimum(below, LOWEST).astype(np.intp)]
        return weights


def _starts(lengths: Sequence[int]) -> list[int]:
    """Return where each of some pieces of these lengths begins, one after the other."""
    return list(accumulate(lengths[:-1], initial=0))


def _pieces(boards: Sequence[chess.Board]) -> npt.NDArray[np.intp]:
    """Return the number of each piece on its square, position by position.

    There are `NUMBERS` for each position: 64 for each kind of piece, White's pawns first.
    """
    masks = []
    for board in boards:
        kinds = kinds_of(board)
        white, black = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
        masks += [kind & white for kind in kinds] + [kind & black for kind in kinds]
    return np.flatnonzero(np.unpackbits(np.array(masks, "<u8").view(np.uint8), bitorder="little"))
