"""The differential method, diff (McKenzie 1994, section 6.3): what differs from the position before.

All positions of a stream have the same material. The first one is coded as by ind2; each of the others by the
pieces that stand elsewhere than in the one before it, and its state. The next position is always one of those
with the fewest such pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import chess
import numpy as np
import numpy.typing as npt

from db.packed.entropy import Coder
from db.packed.methods.state import State, StateModel
from db.packed.methods.symbolwise import boards_of, code_squares, index_driven
from db.packed.placement import contents_of
from db.packed.position import CONTENTS

# Pieces that a position has at most.
MOST_PIECES = 32

Squares = npt.NDArray[np.uint8]


class Differential(NamedTuple):
    """The method, with a model of the side to move, the castling rights and the en-passant file."""

    state: StateModel

    def code(
        self, coder: Coder, material: Sequence[int], number: int, boards: Sequence[chess.Board] | None
    ) -> list[chess.Board]:
        """Write positions of which `material` squares have each content, or read `number` of them.

        Return them in the order in which they are written: that of `greedy_order`.
        """
        if boards is not None:
            order = greedy_order(contents_of(boards))
            boards = [boards[index] for index in order]
        given = None if boards is None else contents_of(boards)
        squares = np.zeros((number, 64), np.uint8)
        squares[:1] = code_squares(coder, index_driven(material), 1, None if given is None else given[:1])
        fewest, most = _code_range(coder, given)
        for row in range(1, number):
            after = None if given is None else given[row]
            squares[row] = code_deltas(coder, squares[row - 1], fewest, most, after)
        state = self.state.code(coder, squares, None if boards is None else State.of(boards))
        return boards_of(squares, state)


def greedy_order(squares: Squares) -> list[int]:
    """Return the numbers of the positions with these squares in greedy order, from the first one on."""
    left = np.arange(1, len(squares))
    order = [0]
    while len(left):
        now = squares[order[-1]]
        nearest = int(np.argmin(_moved(now, squares[left])))
        order.append(int(left[nearest]))
        left = np.delete(left, nearest)
    return order


def code_deltas(coder: Coder, before: Squares, fewest: int, most: int, after: Squares | None) -> Squares:
    """Write which pieces stand elsewhere, `fewest` to `most` of them, or read it. Return the squares.

    A piece is chosen from those after the last one that moved, in the order of a FEN, and its new square from
    all that are neither its own nor taken by a piece that moved before.
    """
    moves = None if after is None else deltas(before, after)
    number = _uniform(coder, range(fewest, most + 1), None if moves is None else len(moves))
    pieces = np.flatnonzero(before).tolist()
    squares, targets = before.copy(), list[int]()
    for index in range(number):
        # As many pieces as are still to move must come after this one.
        choices = pieces[: len(pieces) - (number - index - 1)]
        origin = _uniform(coder, choices, None if moves is None else moves[index][0])
        pieces = pieces[pieces.index(origin) + 1 :]
        free = [square for square in range(64) if square != origin and square not in targets]
        target = _uniform(coder, free, None if moves is None else moves[index][1])
        targets.append(target)
        if origin not in targets[:-1]:
            squares[origin] = 0
        squares[target] = before[origin]
    return squares


def deltas(before: Squares, after: Squares) -> list[tuple[int, int]]:
    """Return the pieces that stand elsewhere: their squares before and after, in the order of the former."""
    moves = []
    for content in range(1, CONTENTS):
        origins = np.flatnonzero((before == content) & (after != content)).tolist()
        targets = np.flatnonzero((after == content) & (before != content)).tolist()
        moves += list(zip(origins, targets, strict=True))
    return sorted(moves)


def _moved(before: Squares, after: Squares) -> npt.NDArray[np.int64]:
    """Return how many pieces stand elsewhere, for each row of `after`."""
    moved: npt.NDArray[np.int64] = ((before != after) & (before != 0)).sum(1)
    return moved


def _code_range(coder: Coder, squares: Squares | None) -> tuple[int, int]:
    """Write the lowest and the highest number of deltas between neighbours, or read them."""
    fewest = most = None
    if squares is not None:
        numbers = _moved(squares[:-1], squares[1:]).tolist() or [0]
        fewest, most = min(numbers), max(numbers)
    numbers_possible = range(MOST_PIECES + 1)
    return _uniform(coder, numbers_possible, fewest), _uniform(coder, numbers_possible, most)


def _uniform(coder: Coder, choices: Sequence[int], choice: int | None) -> int:
    index = None if choice is None else choices.index(choice)
    return choices[coder.one(np.ones(len(choices), np.float32), index)]
