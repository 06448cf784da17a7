"""Perturbed positions: positions in which a few pieces have been moved.

Ganguly, Leveling & Jones (SIGIR 2014, Figure 3) call such positions similar, and the moves positional
transformations.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import chess


def perturbations(board: chess.Board, random: Random) -> Iterator[chess.Board]:
    """Yield the position with one piece moved, with that and another one moved, and so on, at random.

    Pieces of either side move. No piece moves twice, and none to a square that another one has left: each
    step changes two more squares. Moves are legal and never capture, promote, castle or give check, so the
    material stays the same, and the position is legal with either side to move; it is the side to move in
    `board`. Ends when no piece can move.
    """
    board = board.copy(stack=False)
    turn = board.turn
    board.ep_square = None
    settled = chess.BB_EMPTY
    while moves := _moves(board, settled):
        # The piece is chosen first, so that queens, which have more moves, do not move more often than pawns.
        move = random.choice(moves[random.choice(list(moves))])
        board.turn = bool(board.occupied_co[chess.WHITE] & chess.BB_SQUARES[move.from_square])
        board.push(move)
        settled |= chess.BB_SQUARES[move.from_square] | chess.BB_SQUARES[move.to_square]
        board.turn, board.ep_square = turn, None
        yield board.copy(stack=False)


def _moves(board: chess.Board, settled: chess.Bitboard) -> dict[chess.Square, list[chess.Move]]:
    """Return the quiet moves of each piece to and from squares outside of `settled`."""
    moves: dict[chess.Square, list[chess.Move]] = {}
    trial = board.copy(stack=False)
    for trial.turn in chess.COLORS:
        # The other side must not be in check: the position would be illegal.
        if trial.was_into_check():
            continue
        # Only to empty squares, which leaves out castling: python-chess has the king move to its rook.
        for move in trial.generate_legal_moves(~settled, ~settled & ~board.occupied):
            if not move.promotion and not trial.gives_check(move):
                moves.setdefault(move.from_square, []).append(move)
    return moves
