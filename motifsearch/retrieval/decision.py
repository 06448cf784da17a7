"""The order in which an engine prefers the moves of a position, and the check against throwing a game away.

A `Decider` is what makes the order: the human-move model (`policy`), Chesscone or ChessBERT. Nothing is
searched beyond the opponent's next move.
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

# Pawns ahead from which a draw is a game thrown away.
WINNING = 3

# Plies without a capture or a pawn move after which the winning side makes one: at 150 the game is drawn.
PATIENCE = 60


@dataclass(frozen=True)
class Decision:
    """All legal moves in order of preference, and what the memory had to say, None without one.

    `votes` are the shares (0…1) of the moves among the `voters`: positions of the memory, which are the
    position itself where it is `well_known`.
    """

    moves: Sequence[chess.Move]
    votes: Mapping[chess.Move, float]
    voters: Neighbours | None = None
    well_known: bool = False


class Decider(Protocol):
    """What chooses moves."""

    def decide(self, board: chess.Board) -> Decision:
        """Return what it would play in a position with a legal move. Raises `StoreError`.

        The board's move stack says what came before.
        """


def by_score(
    board: chess.Board, scores: Mapping[chess.Move, float], *, careful: bool = False
) -> list[chess.Move]:
    """Return all legal moves, those with the highest scores first and those without one last.

    Moves of the same score are in random order, always the same in a position. With `careful`, the blunder
    check comes first, see `blunders_last`.
    """
    moves = list(board.legal_moves)
    Random(board.epd()).shuffle(moves)
    moves.sort(key=lambda move: -scores.get(move, float("-inf")))
    return blunders_last(board, moves) if careful else moves


class Blunder(IntEnum):
    """How a move may throw a game away, worse ones later."""

    NONE = 0
    NO_PROGRESS = 1
    DRAWS = 2
    ALLOWS_MATE = 3


def blunders_last(board: chess.Board, moves: Iterable[chess.Move]) -> list[chess.Move]:
    """Return the moves with the worst blunders last, otherwise as they were; one that mates comes first."""
    return sorted(moves, key=lambda move: (not mates(board, move), blunder_of(board, move)))


def blunder_of(board: chess.Board, move: chess.Move) -> Blunder:
    """Return the worst thing that is wrong with a legal move.

    The opponent can mate at once; or the side to move is winning, and the move leads to a draw, a repetition
    or nowhere.
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
    """Return whether a game ends here in a draw, whatever came before."""
    return board.is_stalemate() or board.is_insufficient_material()
