"""Where the pieces are: a small network that predicts the contents of each square from those before it.

It knows the material, the side to move, the castling rights, and the squares from a8 on. As in the
index-driven method (McKenzie 1994, section 6.2.3), a piece is as likely as it is left over; the network
corrects that. It is a neural autoregressive distribution estimator (Larochelle & Murray, AISTATS 2011): one
hidden layer, whose units are sums over the squares known so far, so that every square costs one small product
of matrices.

All its numbers are integers, and small enough for sums that are exact in floating point, in whatever order
they are added: what was written on one computer must be read on another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import chess
import numpy as np
import numpy.typing as npt

from db.packed.entropy import Coder, Symbols, Weights
from db.packed.position import CONTENTS, squares_of
from db.packed.sorting import MATERIAL_BYTES

# The highest activation of a hidden unit.
TOP = 4095

# Steps of a logit, per natural logarithm, and how many there are. Lower logits are taken for the lowest.
STEPS = 32
LOWEST = 16 * STEPS


def contents_of(boards: Sequence[chess.Board]) -> npt.NDArray[np.uint8]:
    """Return the contents of the 64 squares of positions, a row for each."""
    return np.frombuffer(b"".join(map(squares_of, boards)), np.uint8).reshape(-1, 64)


class Roots(NamedTuple):
    """What is known of some positions besides their squares: a row for each.

    `material` has `sorting.MATERIAL_BYTES` counts, `state` the side to move (1: White) and `castling_of`.
    """

    material: npt.NDArray[np.uint8]
    state: Symbols

    def contents(self) -> npt.NDArray[np.int64]:
        """Return how many squares have each of the `CONTENTS`."""
        queens_first = self.material.astype(np.int64).reshape(-1, 2, 5)
        pawns_first = queens_first[:, :, ::-1]
        kings = np.ones((len(self.material), 2, 1), np.int64)
        pieces = np.concatenate([pawns_first, kings], 2).reshape(-1, CONTENTS - 1)
        return np.concatenate([64 - pieces.sum(1, keepdims=True), pieces], 1)


class Placement(NamedTuple):
    """The network.

    `material` is by piece and count, `state` by side to move and castling rights, `squares` by square and
    contents; each is what is added to the hidden units. `outputs` and `bias` make the logits of each square
    of the hidden units, in units of `scales`.
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
        """Write the 64 squares of each position, or read them if they are None. Return them."""
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
        chances: Weights = self.exponentials[np.minimum(below, LOWEST).astype(np.intp)]
        return chances * left
