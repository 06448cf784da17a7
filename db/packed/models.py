"""The learned models of a packed file, which are part of its format: how likely positions and moves are.

`PlacementModel` predicts the contents of each square from the material, the side to move, the castling rights
and the squares before, in the order from a8 on. As in the index-driven method (McKenzie 1994, section 6.2.3),
a piece is the more likely the more of its kind are not yet placed; a network corrects that. The network is a
neural autoregressive distribution estimator (Larochelle & Murray, AISTATS 2011): one hidden layer, whose
units are sums over the squares known so far, so that every square costs one small matrix product.

`MoveModel` is another small network with one hidden layer, which scores a move by the piece and the two
squares of the move.

All numbers of the models are integers, small enough that sums in floating point are exact in any order,
because a file that was written on one computer must be readable on any other. With other models, files are
different. `python -m training.packed` made these models.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, chain
from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np
import numpy.typing as npt

from db.packed.coder import Coder, Symbols, Tables, Weights
from db.packed.position import CONTENTS, MATERIAL_BYTES, kinds_of, squares_of

FILE = Path(__file__).parent / "models.npz"

# The prefixes of the names of arrays in the file.
PLACEMENT, MOVES, TABLE = "placement_", "moves_", "table_"
EXPONENTIALS = "exponentials"

# The highest activation of a hidden unit.
TOP = 4095

# Steps of a logit per unit, and the number of steps. Lower logits count as the lowest.
STEPS = 32
LOWEST = 16 * STEPS

# The number of pairs of a piece and a square: 12 by 64.
NUMBERS = 12 * 64


class Models(NamedTuple):
    """The models, and a digest of their file."""

    placement: PlacementModel
    moves: MoveModel
    tables: Tables
    digest: bytes


@cache
def load_models() -> Models:
    """Return the models of the package."""
    data = FILE.read_bytes()
    arrays = dict(np.load(io.BytesIO(data)))

    def named(prefix: str) -> dict[str, np.ndarray]:
        """Return arrays of integers as floats, which are faster to add and multiply."""
        return {
            name.removeprefix(prefix): array.astype(np.float64)
            for name, array in arrays.items()
            if name.startswith(prefix)
        }

    exponentials = arrays[EXPONENTIALS].astype(np.float32)
    return Models(
        PlacementModel(**named(PLACEMENT), exponentials=exponentials),
        MoveModel(**named(MOVES), exponentials=exponentials),
        {name: weights.astype(np.float32) for name, weights in named(TABLE).items()},
        hashlib.sha256(data).digest()[:8],
    )


def contents_of(boards: Sequence[chess.Board]) -> npt.NDArray[np.uint8]:
    """Return the contents of the 64 squares, a row for each position."""
    return np.frombuffer(b"".join(map(squares_of, boards)), np.uint8).reshape(-1, 64)


class Roots(NamedTuple):
    """The material and state of some positions, a row for each.

    `material` has `MATERIAL_BYTES` counts, `state` the side to move (1: White) and `castling_of`.
    """

    material: npt.NDArray[np.uint8]
    state: Symbols

    def contents(self) -> npt.NDArray[np.int64]:
        """Return how many squares have each kind of contents."""
        queens_first = self.material.astype(np.int64).reshape(-1, 2, 5)
        pawns_first = queens_first[:, :, ::-1]
        kings = np.ones((len(self.material), 2, 1), np.int64)
        pieces = np.concatenate([pawns_first, kings], 2).reshape(-1, CONTENTS - 1)
        return np.concatenate([64 - pieces.sum(1, keepdims=True), pieces], 1)


class PlacementModel(NamedTuple):
    """The network that predicts the contents of squares.

    The hidden units are sums of `material` (by piece and count), `state` (by side to move and castling
    rights) and `squares` (by square and contents). `outputs` and `bias` turn the hidden units into the logits
    of each square, in units of `scales`.
    """

    base: npt.NDArray[np.float64]
    material: npt.NDArray[np.float64]
    state: npt.NDArray[np.float64]
    squares: npt.NDArray[np.float64]
    outputs: npt.NDArray[np.float64]
    bias: npt.NDArray[np.float64]
    scales: npt.NDArray[np.float64]
    exponentials: Weights

    def code(self, coder: Coder, roots: Roots, squares: Symbols | None) -> npt.NDArray[np.uint8]:
        """Write the 64 squares of each position, or read the squares if they are None; return them."""
        left = roots.contents().astype(np.float32)
        rows = np.arange(len(left))
        hidden = self.base + self.material[np.arange(MATERIAL_BYTES), roots.material].sum(1)
        hidden += self.state[roots.state[:, 0], roots.state[:, 1]]
        coded = np.zeros((len(left), 64), np.uint8)
        for square in range(64):
            given = None if squares is None else np.ascontiguousarray(squares[:, square])
            weights = self._weights(square, hidden, left)
            contents = coder.code(weights, given)
            coded[:, square] = contents
            hidden += self.squares[square, contents]
            left[rows, contents] -= 1
        return coded

    def _weights(self, square: int, hidden: npt.NDArray[np.float64], left: Weights) -> Weights:
        """Return how likely each content of a square is, in proportion."""
        active = np.minimum(np.maximum(hidden, 0), TOP)
        logits = active @ self.outputs[square] + self.bias[square]
        logits[left == 0] = -np.inf
        below = (np.maximum.reduce(logits, 1, keepdims=True) - logits) * self.scales[square]
        likely: Weights = self.exponentials[np.minimum(below, LOWEST).astype(np.intp)]
        return likely * left


def possible_moves(board: chess.Board) -> list[int]:
    """Return the pseudo-legal moves or, in check, the legal moves, as numbers in ascending order.

    Except in check, testing every move for legality would save too few bits for the time that it takes.
    """
    moves = board.generate_legal_moves() if board.is_check() else board.generate_pseudo_legal_moves()
    return sorted([move.from_square << 9 | move.to_square << 3 | (move.promotion or 0) for move in moves])


def move_of(number: int) -> chess.Move:
    """Return the move with a number from `possible_moves`."""
    return chess.Move(number >> 9, number >> 3 & 63, number & 7 or None)


class MoveModel(NamedTuple):
    """The network that predicts moves.

    Each piece on each square adds its row of `squares` to the hidden units. `origins` and `targets` turn
    these into the logits of moves, by the piece and its square before and after, in units of `scale`.
    """

    base: npt.NDArray[np.float64]
    squares: npt.NDArray[np.float64]
    origins: npt.NDArray[np.float64]
    targets: npt.NDArray[np.float64]
    scale: npt.NDArray[np.float64]
    exponentials: Weights

    def weights(self, boards: Sequence[chess.Board], moves: Sequence[Sequence[int]]) -> Weights:
        """Return how likely each move is, in proportion: a row for each position, padded with zeros."""
        pieces = _pieces(boards)
        counts = [board.occupied.bit_count() for board in boards]
        hidden = np.add.reduceat(self.squares[pieces % NUMBERS], _starts(counts)) + self.base
        active = np.minimum(np.maximum(hidden, 0), TOP)
        # By position and square: 64 times the kind of the piece.
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
    """Return the start of each of several consecutive parts of these lengths."""
    return list(accumulate(lengths[:-1], initial=0))


def _pieces(boards: Sequence[chess.Board]) -> npt.NDArray[np.intp]:
    """Return a number for each piece on its square, position by position.

    Each position has its own range of `NUMBERS`: 64 for each kind of piece, White's pawns first.
    """
    masks = []
    for board in boards:
        kinds = kinds_of(board)
        white, black = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
        masks += [kind & white for kind in kinds] + [kind & black for kind in kinds]
    return np.flatnonzero(np.unpackbits(np.array(masks, "<u8").view(np.uint8), bitorder="little"))
