"""The order in which an engine prefers the moves of a position, and the blunder check.

A `Decider` makes the order: the human-move model (`policy`), Chesscone or ChessBERT. Nothing is searched
beyond the opponent's next move.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from random import Random
from typing import Protocol

import chess

from chess_motif.boards import mates
from chess_motif.material import material_balance
from motifsearch.retrieval.memory import Neighbours

# From this many pawns ahead, a draw throws the game away.
WINNING = 3

# Plies without a capture or a pawn move after which the winning side must play one: at 150 the game is drawn.
PATIENCE = 60


@dataclass(frozen=True)
class Decision:
    """All legal moves in order of preference, and what the memory says about them, if there is one.

    `votes` are the shares (0…1) of the moves among the `voters`, which are positions of the memory. If the
    position is `well_known`, only its own occurrences vote.
    """

    moves: Sequence[chess.Move]
    votes: Mapping[chess.Move, float]
    voters: Neighbours | None = None
    well_known: bool = False


class Decider(Protocol):
    """Anything that chooses moves."""

    def decide(self, board: chess.Board) -> Decision:
        """Return the order of the moves of a position, which has a legal move. Raises `StoreError`.

        The board's move stack is used to recognise repetitions.
        """


def by_score(
    board: chess.Board, scores: Mapping[chess.Move, float], *, careful: bool = False
) -> list[chess.Move]:
    """Return all legal moves by falling score; moves without a score come last.

    Moves with the same score are in random order, always the same in a position. With `careful`, blunders
    come last, see `blunders_last`.
    """
    moves = list(board.legal_moves)
    Random(board.epd()).shuffle(moves)
    moves.sort(key=lambda move: -scores.get(move, float("-inf")))
    return blunders_last(board, moves) if careful else moves


class Blunder(IntEnum):
    """How a move may throw a game away, in the order of severity."""

    NONE = 0
    NO_PROGRESS = 1
    DRAWS = 2
    ALLOWS_MATE = 3


def blunders_last(board: chess.Board, moves: Iterable[chess.Move]) -> list[chess.Move]:
    """Return the moves in the same order, except that mates come first, and the worst blunders last."""
    return sorted(moves, key=lambda move: (not mates(board, move), blunder_of(board, move)))


def blunder_of(board: chess.Board, move: chess.Move) -> Blunder:
    """Return the worst blunder that a legal move is.

    A move is a blunder if the opponent can mate at once, or if the side to move is winning and the move leads
    to a draw, a repetition, or no progress.
    """
    winning = material_balance(board, board.turn) >= WINNING
    progress = board.is_zeroing(move)
    impatient = winning and board.halfmove_clock >= PATIENCE and not progress
    board.push(move)
    try:
        if any(mates(board, reply) for reply in board.legal_moves):
            return Blunder.ALLOWS_MATE
        if winning and (is_drawn(board) or board.is_repetition(2)):
            return Blunder.DRAWS
        return Blunder.NO_PROGRESS if impatient else Blunder.NONE
    finally:
        board.pop()


def is_drawn(board: chess.Board) -> bool:
    """Return whether the position is a draw, whatever the moves before."""
    return board.is_stalemate() or board.is_insufficient_material()
