"""A quiescence search: the material after all captures and promotions that pay."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from chess_motif.material import gained, material_balance

# The most plies of a sequence of captures. Longer sequences are rare; the material on the board then counts.
DEEPEST = 10

# The most positions that are searched; in all others the material on the board counts. Real puzzles need a
# few hundred at most, but a board full of queens would take minutes.
MOST_POSITIONS = 3_000

# By side, the rank from which pawns promote, and the last rank.
_LAST_RANKS = {
    chess.WHITE: (chess.BB_RANK_7, chess.BB_RANK_8),
    chess.BLACK: (chess.BB_RANK_2, chess.BB_RANK_1),
}

# The value of giving mate: more than any balance.
MATED = 100


def settled_balance(board: chess.Board, side: chess.Color, budget: Iterator[int] | None = None) -> int:
    """Return by how many pawns `side` is ahead after the best captures and promotions of both sides.

    A side may stop capturing unless it is in check; in check, all its moves are tried. A mate counts as
    `MATED`. Each position uses up one item of the `budget`, which several calls may share; once the budget is
    empty, the material on the board counts.
    """
    budget = _budget() if budget is None else budget
    value = _settle(board, material_balance(board, board.turn), -MATED, MATED, DEEPEST, budget)
    return value if board.turn == side else -value


def settles_at_least(
    board: chess.Board, side: chess.Color, balance: int, budget: Iterator[int] | None = None
) -> bool:
    """Return whether `settled_balance` is at least `balance`, faster than by computing the exact value."""
    budget = _budget() if budget is None else budget
    stands = material_balance(board, board.turn)
    if board.turn == side:
        return _settle(board, stands, balance - 1, balance, DEEPEST, budget) >= balance
    return -_settle(board, stands, -balance, 1 - balance, DEEPEST, budget) >= balance


def _budget() -> Iterator[int]:
    return iter(range(MOST_POSITIONS))


def _settle(board: chess.Board, stands: int, alpha: int, beta: int, depth: int, budget: Iterator[int]) -> int:
    """Return the settled balance for the side to move (fail-soft alpha–beta).

    `stands` is the balance on the board. Each position uses up one item of the `budget`.
    """
    in_check = board.is_check()
    if in_check:
        best = -MATED
        moves = list(board.legal_moves)
    else:
        best = stands
        if best >= beta:
            return best
        alpha = max(alpha, best)
        moves = _captures_and_promotions(board)
    if depth == 0 or next(budget, None) is None:
        return stands if moves else best
    gains = {move: _gain(board, move) for move in moves}
    for move in sorted(moves, key=gains.__getitem__, reverse=True):
        after = stands + gains[move]
        # The opponent may stop capturing unless in check, so the move is worth no more than it wins at once.
        if not in_check and after <= alpha and not board.gives_check(move):
            best = max(best, after)
            continue
        board.push(move)
        value = -_settle(board, -after, -beta, -alpha, depth - 1, budget)
        board.pop()
        best = max(best, value)
        alpha = max(alpha, value)
        if alpha >= beta:
            break
    return best


def _captures_and_promotions(board: chess.Board) -> list[chess.Move]:
    captures = list(board.generate_legal_captures())
    before_last, last = _LAST_RANKS[board.turn]
    pawns = board.pawns & board.occupied_co[board.turn] & before_last
    pushes = board.generate_legal_moves(pawns, last & ~board.occupied) if pawns else ()
    return captures + [move for move in pushes if move.promotion == chess.QUEEN]


def _gain(board: chess.Board, move: chess.Move) -> int:
    """Return what a move wins by capture and promotion, in pawns."""
    kind = chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square)
    return gained(kind, move.promotion)
