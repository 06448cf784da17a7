"""The side to move, the castling rights and the en-passant file (McKenzie 1994, sections 6.2.1 and 6.2.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import chess
import numpy as np
import numpy.typing as npt

from db.packed.entropy import Coder, Weights
from db.packed.position import castling_of, en_passant_of

# Squares, in the order of a FEN, of the king and the rook that each of KQkq needs, and what is on them.
_HOMES = (((60, 6), (63, 4)), ((60, 6), (56, 4)), ((4, 12), (7, 10)), ((4, 12), (0, 10)))


class State(NamedTuple):
    """What positions are besides their pieces, a row for each.

    The side to move (1: White), a flag for each of KQkq, and 0 or 1 + the file of the en-passant square.
    """

    rows: npt.NDArray[np.int32]

    @classmethod
    def of(cls, boards: Sequence[chess.Board]) -> State:
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
    def of(cls, state: State, squares: npt.NDArray[np.uint8], *, at_home: bool) -> StateModel:
        """Return the models of some positions, with how often each symbol occurs in them."""
        rows = state.rows
        flags = [rows[_home(squares, flag) if at_home else slice(None), 1 + flag] for flag in range(4)]
        return cls(
            _counts(rows[:, 0], 2), [_counts(each, 2) for each in flags], _counts(rows[:, 5], 9), at_home
        )

    def code(self, coder: Coder, squares: npt.NDArray[np.uint8], state: State | None) -> State:
        """Write the state of the positions with these squares, or read it if it is None. Return it."""
        rows = np.zeros((len(squares), 6), np.int32)
        for column, weights in enumerate([self.turn, *self.flags, self.file]):
            is_flag = 1 <= column <= 4
            coded = _home(squares, column - 1) if is_flag and self.at_home else np.ones(len(squares), bool)
            given = None if state is None else state.rows[coded, column]
            rows[coded, column] = coder.code(np.repeat(weights[None], coded.sum(), 0), given)
        return State(rows)


def _home(squares: npt.NDArray[np.uint8], flag: int) -> npt.NDArray[np.bool_]:
    (king, is_king), (rook, is_rook) = _HOMES[flag]
    at_home: npt.NDArray[np.bool_] = (squares[:, king] == is_king) & (squares[:, rook] == is_rook)
    return at_home


def _counts(symbols: npt.NDArray[np.int32], choices: int) -> Weights:
    # None is impossible: the coder needs one that occurs.
    return np.maximum(np.bincount(symbols, minlength=choices), 1e-3).astype(np.float32)
