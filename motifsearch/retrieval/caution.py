"""Rules of thumb by which no game is thrown away. Nothing is searched beyond the opponent's next move."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

import chess

from chess_motif.material import material_balance

# Pawns ahead from which a draw is a game thrown away.
WINNING = 3

# Plies without a capture or a pawn move after which the winning side makes one: at 150 the game is drawn.
PATIENCE = 60


class Concern(IntEnum):
    """What is wrong with a move, worse ones later."""

    NONE = 0
    NO_PROGRESS = 1
    DRAWS = 2
    ALLOWS_MATE = 3


def cautious(board: chess.Board, moves: Iterable[chess.Move]) -> list[chess.Move]:
    """Return the moves in order of concern, and otherwise as they were; one that mates comes first.

    A move is of concern if the opponent can mate at once, or if it leads to a draw, a repetition or nowhere
    while the side to move is winning.
    """
    return sorted(moves, key=lambda move: (not _mates(board, move), concern(board, move)))


def concern(board: chess.Board, move: chess.Move) -> Concern:
    """Return the gravest thing that is wrong with a legal move."""
    winning = material_balance(board, board.turn) >= WINNING
    progress = board.is_zeroing(move)
    impatient = winning and board.halfmove_clock >= PATIENCE and not progress
    board.push(move)
    try:
        if any(_mates(board, reply) for reply in board.legal_moves):
            return Concern.ALLOWS_MATE
        if winning and (is_drawn(board) or board.is_repetition(2)):
            return Concern.DRAWS
        return Concern.NO_PROGRESS if impatient else Concern.NONE
    finally:
        board.pop()


def _mates(board: chess.Board, move: chess.Move) -> bool:
    if not board.gives_check(move):
        return False
    board.push(move)
    mates = board.is_checkmate()
    board.pop()
    return mates


def is_drawn(board: chess.Board) -> bool:
    """Return whether a game ends here in a draw, whatever came before."""
    return board.is_stalemate() or board.is_insufficient_material()
