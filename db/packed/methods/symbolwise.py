"""The symbolwise methods (McKenzie 1994, section 6.2): the contents of 64 squares, one after another.

- sym1: each content is as likely as it is frequent (6.2.1).
- sym2: with rules on what a position can have (6.2.2).
- ind1: with the material, which the index knows: each content is as likely as it is left over (6.2.3).
- ind2: ind1 with a rule for the castling flags (6.2.4).

sym1 and sym2 take two passes over all positions, which are one stream. ind1 and ind2 have a stream for each
material.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import chess
import numpy as np
import numpy.typing as npt

from db.packed.entropy import Coder, Weights
from db.packed.methods.state import State, StateModel
from db.packed.placement import contents_of
from db.packed.position import CONTENTS, board_of

# How likely what is "extremely unlikely" is taken to be: more than one queen, or two of another piece.
RARE = 1 / 10_000

_PAWNS = [1, 7]
_KINGS = [6, 12]
_PIECES = {5: 1, 11: 1, 2: 2, 3: 2, 4: 2, 8: 2, 9: 2, 10: 2}

# Returns the weights of the contents of a square (0…63), given how many of each the squares before it have.
Model = Callable[[int, npt.NDArray[np.int64]], Weights]


class Symbolwise(NamedTuple):
    """A symbolwise method: the model of the squares, and that of the rest."""

    squares: Model
    state: StateModel

    def code(self, coder: Coder, number: int, boards: Sequence[chess.Board] | None) -> list[chess.Board]:
        """Write positions, or read `number` of them if they are None. Return them."""
        given = None if boards is None else contents_of(boards)
        squares = code_squares(coder, self.squares, number, given)
        state = self.state.code(coder, squares, None if boards is None else State.of(boards))
        return boards_of(squares, state)


def sym1(boards: Sequence[chess.Board]) -> Symbolwise:
    """Return the order-zero method, with the frequencies of these positions (6.2.1)."""
    squares = contents_of(boards)
    counts = np.bincount(squares.ravel(), minlength=CONTENTS).astype(np.float32)

    def model(square: int, seen: npt.NDArray[np.int64]) -> Weights:
        return np.repeat(counts[None], len(seen), 0)

    return Symbolwise(model, StateModel.of(State.of(boards), squares, at_home=False))


def sym2(boards: Sequence[chess.Board]) -> Symbolwise:
    """Return the method with rules, with the frequencies of these positions (6.2.2)."""
    squares = contents_of(boards)
    counts = np.bincount(squares.ravel(), minlength=CONTENTS).astype(np.float32)

    def model(square: int, seen: npt.NDArray[np.int64]) -> Weights:
        weights = np.repeat(counts[None], len(seen), 0)
        weights[:, _PAWNS] *= seen[:, _PAWNS] < 8
        if not 8 <= square < 56:
            weights[:, _PAWNS] = 0
        weights[:, _KINGS] *= seen[:, _KINGS] < 1
        rare = np.zeros(weights.shape, bool)
        for content, usual in _PIECES.items():
            rare[:, content] = seen[:, content] >= usual
        weights[rare] = 0
        return np.where(rare, RARE * weights.sum(1, keepdims=True), weights)

    return Symbolwise(model, StateModel.of(State.of(boards), squares, at_home=False))


def index_driven(material: Sequence[int]) -> Model:
    """Return the model of positions with these contents: how many squares have each of them (6.2.3).

    Each is as likely as it is left over; pawns are not on the first and the last rank.
    """
    contents = np.array(material, np.int64)

    def model(square: int, seen: npt.NDArray[np.int64]) -> Weights:
        left = (contents - seen).astype(np.float32)
        if not 8 <= square < 56:
            left[:, _PAWNS] = 0
        return left

    return model


def code_squares(
    coder: Coder, model: Model, number: int, squares: npt.NDArray[np.uint8] | None
) -> npt.NDArray[np.uint8]:
    """Write the contents of the squares of positions, or read those of `number` positions. Return them."""
    seen = np.zeros((number, CONTENTS), np.int64)
    coded = np.zeros((number, 64), np.uint8)
    for square in range(64):
        given = None if squares is None else squares[:, square].astype(np.int32)
        coded[:, square] = contents = coder.code(model(square, seen), given)
        seen[np.arange(number), contents] += 1
    return coded


def boards_of(squares: npt.NDArray[np.uint8], state: State) -> list[chess.Board]:
    """Return the positions with these contents and this state."""
    boards = []
    for contents, (turn, *flags, file) in zip(squares, state.rows.tolist(), strict=True):
        passed = chess.square(file - 1, 5 if turn else 2) if file else None
        rights = sum(flag << number for number, flag in enumerate(flags))
        boards.append(board_of(contents.tobytes(), bool(turn), rights, passed))
    return boards
