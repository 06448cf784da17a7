"""The methods of McKenzie (1994), chapter 6, to compare a packed file with: positions in, bytes out, back.

The symbolwise methods (section 6.2) code the contents of 64 squares, one after another:

- sym1: each content is as likely as it is frequent (6.2.1).
- sym2: with rules on what a position can have (6.2.2).
- ind1: with the material, which the index knows: each content is as likely as it is left over (6.2.3).
- ind2: ind1 with a rule for the castling flags (6.2.4).

sym1 and sym2 take two passes over all positions, which are one stream. ind1 and ind2 have a stream for each
material.

The differential method, diff (6.3), codes what differs from the position before. All positions of a stream
have the same material. The first one is coded as by ind2; each of the others by the pieces that stand
elsewhere than in the one before it, and its state. The next position is always one of those with the fewest
such pieces.

The simple code (6.1) is `db.packed.position.pack_simply`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import chess
import numpy as np
import numpy.typing as npt

from db.packed.coder import Coder, Weights
from db.packed.models import contents_of
from db.packed.position import CONTENTS, board_of, castling_of, en_passant_of

# Squares, in the order of a FEN, of the king and the rook that each of KQkq needs, and what is on them.
_HOMES = (((60, 6), (63, 4)), ((60, 6), (56, 4)), ((4, 12), (7, 10)), ((4, 12), (0, 10)))

# How likely what is "extremely unlikely" is taken to be: more than one queen, or two of another piece.
RARE = 1 / 10_000

_PAWNS = [1, 7]
_KINGS = [6, 12]
_PIECES = {5: 1, 11: 1, 2: 2, 3: 2, 4: 2, 8: 2, 9: 2, 10: 2}

# Pieces that a position has at most.
MOST_PIECES = 32

Squares = npt.NDArray[np.uint8]

# Returns the weights of the contents of a square (0…63), given how many of each the squares before it have.
Model = Callable[[int, npt.NDArray[np.int64]], Weights]


class BoardState(NamedTuple):
    """What positions are besides their pieces, a row for each.

    The side to move (1: White), a flag for each of KQkq, and 0 or 1 + the file of the en-passant square.
    """

    rows: npt.NDArray[np.int32]

    @classmethod
    def of(cls, boards: Sequence[chess.Board]) -> BoardState:
        """Return the state of some positions."""
        return cls(np.array([_row(board) for board in boards], np.int32).reshape(-1, 6))


def _row(board: chess.Board) -> list[int]:
    passed, rights = en_passant_of(board), castling_of(board)
    flags = [rights >> number & 1 for number in range(4)]
    return [board.turn, *flags, 0 if passed is None else 1 + chess.square_file(passed)]


class StateModel(NamedTuple):
    """Order-zero models of the side to move, of each castling flag, and of the en-passant file.

    With `at_home`, the rule of section 6.2.4: a flag is coded only where king and rook are on their home
    squares, and counted only there.
    """

    turn: Weights
    flags: list[Weights]
    file: Weights
    at_home: bool

    @classmethod
    def of(cls, state: BoardState, squares: npt.NDArray[np.uint8], *, at_home: bool) -> StateModel:
        """Return the models of some positions, with how often each symbol occurs in them."""
        rows = state.rows
        flags = [rows[_home(squares, flag) if at_home else slice(None), 1 + flag] for flag in range(4)]
        return cls(
            _counts(rows[:, 0], 2), [_counts(each, 2) for each in flags], _counts(rows[:, 5], 9), at_home
        )

    def code(self, coder: Coder, squares: npt.NDArray[np.uint8], state: BoardState | None) -> BoardState:
        """Write the state of the positions with these squares, or read it if it is None. Return it."""
        rows = np.zeros((len(squares), 6), np.int32)
        for column, weights in enumerate([self.turn, *self.flags, self.file]):
            is_flag = 1 <= column <= 4
            coded = _home(squares, column - 1) if is_flag and self.at_home else np.ones(len(squares), bool)
            given = None if state is None else state.rows[coded, column]
            rows[coded, column] = coder.code(np.repeat(weights[None], coded.sum(), 0), given)
        return BoardState(rows)


def _home(squares: npt.NDArray[np.uint8], flag: int) -> npt.NDArray[np.bool_]:
    (king, is_king), (rook, is_rook) = _HOMES[flag]
    at_home: npt.NDArray[np.bool_] = (squares[:, king] == is_king) & (squares[:, rook] == is_rook)
    return at_home


def _counts(symbols: npt.NDArray[np.int32], choices: int) -> Weights:
    # None is impossible: the coder needs one that occurs.
    return np.maximum(np.bincount(symbols, minlength=choices), 1e-3).astype(np.float32)


class Symbolwise(NamedTuple):
    """A symbolwise method: the model of the squares, and that of the rest."""

    squares: Model
    state: StateModel

    def code(self, coder: Coder, number: int, boards: Sequence[chess.Board] | None) -> list[chess.Board]:
        """Write positions, or read `number` of them if they are None. Return them."""
        given = None if boards is None else contents_of(boards)
        squares = code_squares(coder, self.squares, number, given)
        state = self.state.code(coder, squares, None if boards is None else BoardState.of(boards))
        return boards_of(squares, state)


def sym1(boards: Sequence[chess.Board]) -> Symbolwise:
    """Return the order-zero method, with the frequencies of these positions (6.2.1)."""
    squares = contents_of(boards)
    counts = np.bincount(squares.ravel(), minlength=CONTENTS).astype(np.float32)

    def model(square: int, seen: npt.NDArray[np.int64]) -> Weights:
        return np.repeat(counts[None], len(seen), 0)

    return Symbolwise(model, StateModel.of(BoardState.of(boards), squares, at_home=False))


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

    return Symbolwise(model, StateModel.of(BoardState.of(boards), squares, at_home=False))


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


def boards_of(squares: npt.NDArray[np.uint8], state: BoardState) -> list[chess.Board]:
    """Return the positions with these contents and this state."""
    boards = []
    for contents, (turn, *flags, file) in zip(squares, state.rows.tolist(), strict=True):
        passed = chess.square(file - 1, 5 if turn else 2) if file else None
        rights = sum(flag << number for number, flag in enumerate(flags))
        boards.append(board_of(contents.tobytes(), bool(turn), rights, passed))
    return boards


class Differential(NamedTuple):
    """The differential method, with a model of the side to move, castling rights and en-passant file."""

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
        state = self.state.code(coder, squares, None if boards is None else BoardState.of(boards))
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
