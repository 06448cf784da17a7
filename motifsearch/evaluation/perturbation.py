"""Positional transformations: a position in which a few men stand a move away.

Ganguly, Leveling & Jones (SIGIR 2014, Figure 3) call positions similar that come of each other so.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import chess


def perturbations(board: chess.Board, lot: Random) -> Iterator[chess.Board]:
    """Yield the position with one man moved, with that and another one moved, and so on, drawn by lot.

    Men of either side move in any order, none twice and none to where another one has left: each step
    changes two more squares. Moves are legal and neither capture, promote, castle nor give check, so that
    the material stays, and either side could be the next to move; it is the side that was to move in
    `board`. It ends where no man can move.
    """
    board = board.copy(stack=False)
    turn = board.turn
    board.ep_square = None
    settled = chess.BB_EMPTY
    while moves := _moves(board, settled):
        # First the man, then where it goes: queens have no more say than pawns.
        move = lot.choice(moves[lot.choice(list(moves))])
        board.turn = bool(board.occupied_co[chess.WHITE] & chess.BB_SQUARES[move.from_square])
        board.push(move)
        settled |= chess.BB_SQUARES[move.from_square] | chess.BB_SQUARES[move.to_square]
        board.turn, board.ep_square = turn, None
        yield board.copy(stack=False)


def _moves(board: chess.Board, settled: chess.Bitboard) -> dict[chess.Square, list[chess.Move]]:
    """Return what each man outside of `settled` can do without a capture, a promotion or a check."""
    moves: dict[chess.Square, list[chess.Move]] = {}
    trial = board.copy(stack=False)
    for trial.turn in chess.COLORS:
        # A side may pass its turn unless it is in check.
        if trial.was_into_check():
            continue
        # To empty squares alone: a king that castles goes to its rook's.
        for move in trial.generate_legal_moves(~settled, ~settled & ~board.occupied):
            if not move.promotion and not trial.gives_check(move):
                moves.setdefault(move.from_square, []).append(move)
    return moves
