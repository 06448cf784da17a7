"""Material, and what captures and promotions make of it once the dust has settled."""

from __future__ import annotations

import chess

# Pawns a piece is worth.
VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0}

# Plies that a sequence of captures is followed for. Longer ones are rare; what is left on the board
# then is taken as it stands.
DEEPEST = 10

# More than any balance: the value of giving mate.
MATED = 100


def balance(board: chess.Board, side: chess.Color) -> int:
    """Return how many pawns' worth of material `side` is ahead."""
    return sum(
        value * (len(board.pieces(kind, side)) - len(board.pieces(kind, not side)))
        for kind, value in VALUES.items()
    )


def settled_balance(board: chess.Board, side: chess.Color) -> int:
    """Return how far `side` is ahead in pawns after the best captures and promotions of both sides.

    Either side may stop capturing when that is better, unless it is in check: then every escape is
    tried. A mate counts as `MATED`.
    """
    value = _settle(board, -MATED, MATED, DEEPEST)
    return value if board.turn == side else -value


def _settle(board: chess.Board, alpha: int, beta: int, depth: int) -> int:
    """Return the settled balance for the side to move (a fail-soft alpha-beta search)."""
    in_check = board.is_check()
    if in_check:
        best = -MATED
        moves = list(board.legal_moves)
    else:
        best = balance(board, board.turn)
        if best >= beta:
            return best
        alpha = max(alpha, best)
        moves = _noisy_moves(board)
    if depth == 0:
        return balance(board, board.turn) if moves else best
    for move in sorted(moves, key=lambda move: -_captured(board, move)):
        board.push(move)
        value = -_settle(board, -beta, -alpha, depth - 1)
        board.pop()
        best = max(best, value)
        alpha = max(alpha, value)
        if alpha >= beta:
            break
    return best


def _noisy_moves(board: chess.Board) -> list[chess.Move]:
    captures = list(board.generate_legal_captures())
    last_rank = chess.BB_RANK_8 if board.turn == chess.WHITE else chess.BB_RANK_1
    pushes = board.generate_legal_moves(board.pawns, last_rank & ~board.occupied)
    return captures + [move for move in pushes if move.promotion == chess.QUEEN]


def _captured(board: chess.Board, move: chess.Move) -> int:
    kind = chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square)
    return VALUES[kind] if kind else 0
