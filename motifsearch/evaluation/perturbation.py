"""Perturbed positions: positions in which a few pieces have been moved at random.

They are similar to the original by construction: Ganguly, Leveling & Jones (SIGIR 2014, Figure 3) call them
positional transformations.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import chess


def perturbations(board: chess.Board, random: Random) -> Iterator[chess.Board]:
    """Yield the position with one piece moved at random, then with another one moved as well, and so on.

    Pieces of both sides move. No piece moves twice, or to a square that another one has left: each step
    changes two more squares. Moves are legal and never capture, promote, castle or give check, so that the
    material stays the same, and the position is legal with either side to move. The side to move is that of
    `board`. Ends when no piece can move.
    """
    board = board.copy(stack=False)
    turn = board.turn
    board.ep_square = None
    used = chess.BB_EMPTY
    while moves := _moves(board, used):
        # The piece is chosen first: otherwise queens, which have more moves, would move more often than
        # pawns.
        move = random.choice(moves[random.choice(list(moves))])
        board.turn = bool(board.occupied_co[chess.WHITE] & chess.BB_SQUARES[move.from_square])
        board.push(move)
        used |= chess.BB_SQUARES[move.from_square] | chess.BB_SQUARES[move.to_square]
        board.turn, board.ep_square = turn, None
        yield board.copy(stack=False)


def _moves(board: chess.Board, used: chess.Bitboard) -> dict[chess.Square, list[chess.Move]]:
    """Return the quiet moves by origin, except those to or from a square that is `used`."""
    moves: dict[chess.Square, list[chess.Move]] = {}
    trial = board.copy(stack=False)
    for trial.turn in chess.COLORS:
        # With the other side in check, the position is illegal.
        if trial.was_into_check():
            continue
        # Only to empty squares. This excludes castling, which python-chess generates as the king taking its
        # rook.
        for move in trial.generate_legal_moves(~used, ~used & ~board.occupied):
            if not move.promotion and not trial.gives_check(move):
                moves.setdefault(move.from_square, []).append(move)
    return moves
