"""What can be seen of a puzzle at once: counts of pieces and moves, and the kinds of moves in the solution.

The cheap features of the rating model. All are numbers; one that does not exist, such as what a third move
captures when there are two, is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import chess

from chess_motif.material import PIECE_VALUES, material_balance
from puzzlegen.difficulty.problem import Problem
from puzzlegen.motifs.tags import TAGS

# Solver moves that are described one by one. The totals cover all.
DESCRIBED_MOVES = 3

_KINDS = {"pawns": chess.PAWN, "knights": chess.KNIGHT, "bishops": chess.BISHOP, "rooks": chess.ROOK}
_KINDS |= {"queens": chess.QUEEN}
_NAN = float("nan")


def features(problem: Problem, boards: Sequence[chess.Board]) -> dict[str, float]:
    """Return the features of a problem by name; `boards` are those of `Problem.boards`."""
    values = dict(_of_position(problem.position))
    values |= dict(_of_move_before(problem))
    values |= dict(_of_line(problem, boards))
    for number in range(DESCRIBED_MOVES):
        values |= {f"{name}({number + 1})": value for name, value in _of_move(problem, boards, 2 * number)}
    return values | {f"tag_{tag}": float(tag in problem.tags) for tag in TAGS}


def _of_position(board: chess.Board) -> Iterator[tuple[str, float]]:
    solver = board.turn
    for name, kind in _KINDS.items():
        yield f"own_{name}", len(board.pieces(kind, solver))
        yield f"enemy_{name}", len(board.pieces(kind, not solver))
    yield "balance", material_balance(board, solver)
    yield "move_number", board.fullmove_number
    legal = list(board.legal_moves)
    captures = [move for move in legal if board.is_capture(move)]
    yield "legal_moves", len(legal)
    yield "legal_captures", len(captures)
    yield "legal_checks", sum(board.gives_check(move) for move in legal)
    yield "in_check", board.is_check()
    yield "largest_capture", max((_captured(board, move) for move in captures), default=0)
    yield (
        "largest_free_capture",
        max(
            (
                _captured(board, move)
                for move in captures
                if not board.is_attacked_by(not solver, move.to_square)
            ),
            default=0,
        ),
    )
    for name, side in (("own", solver), ("enemy", not solver)):
        yield f"{name}_king_attackers", _attackers_near_king(board, side)
        yield f"{name}_threatened", sum(_threatened(board, side))
        yield f"{name}_most_threatened", max(_threatened(board, side), default=0)


def _threatened(board: chess.Board, side: chess.Color) -> list[int]:
    """Return the values of the pieces of a side that are attacked and undefended, or by a lower piece."""
    values = []
    for square in chess.scan_forward(board.occupied_co[side] & ~board.kings):
        attackers = board.attackers_mask(not side, square)
        if attackers:
            value = _value(board, square)
            lower = any(_value(board, at) < value for at in chess.scan_forward(attackers & ~board.kings))
            if lower or not board.attackers_mask(side, square):
                values.append(value)
    return values


def _attackers_near_king(board: chess.Board, side: chess.Color) -> int:
    """Return how many enemy pieces attack the king of a side or a square next to it."""
    king = board.king(side)
    if king is None:
        return 0
    attackers = board.attackers_mask(not side, king)
    for square in chess.scan_forward(chess.BB_KING_ATTACKS[king]):
        attackers |= board.attackers_mask(not side, square)
    return chess.popcount(attackers)


def _of_move_before(problem: Problem) -> Iterator[tuple[str, float]]:
    board, first = problem.position, problem.moves[0]
    if not board.move_stack:
        for name in ("capture", "kind", "recaptured", "distance_to_first", "attacks"):
            yield f"before_{name}", _NAN
        return
    before, move = board.copy(), board.peek()
    before.pop()
    yield "before_capture", _captured(before, move)
    yield "before_kind", board.piece_type_at(move.to_square) or 0
    yield "before_recaptured", first.to_square == move.to_square
    yield "before_distance_to_first", chess.square_distance(first.to_square, move.to_square)
    attacked = board.attacks_mask(move.to_square) & board.occupied_co[board.turn]
    yield "before_attacks", sum(_value(board, square) for square in chess.scan_forward(attacked))


def _of_line(problem: Problem, boards: Sequence[chess.Board]) -> Iterator[tuple[str, float]]:
    solver, end = problem.position.turn, boards[-1]
    own = range(0, len(problem.moves), 2)
    yield "moves", len(own)
    balances = [material_balance(board, solver) for board in boards]
    yield "gain", balances[-1] - balances[0]
    yield "deepest_sacrifice", balances[0] - min(balances)
    yield "mate", end.is_checkmate()
    yield "checks", sum(boards[ply + 1].is_check() for ply in own)
    yield "captures", sum(boards[ply].is_capture(problem.moves[ply]) for ply in own)
    yield "quiet_moves", sum(_is_quiet(boards, ply, problem.moves[ply]) for ply in own)
    yield "pieces_moved", len({boards[ply].piece_type_at(problem.moves[ply].from_square) for ply in own})
    replies = [boards[ply + 1].legal_moves.count() for ply in own[:-1]]
    yield "forced_replies", sum(count == 1 for count in replies)
    yield "log_of_replies", sum(math.log(max(1, count)) for count in replies)
    yield "captures_in_reply", sum(boards[ply + 1].is_capture(problem.moves[ply + 1]) for ply in own[:-1])
    yield "log_of_choices", sum(math.log(boards[ply].legal_moves.count()) for ply in own)


def _of_move(problem: Problem, boards: Sequence[chess.Board], ply: int) -> Iterator[tuple[str, float]]:
    names = ("kind", "capture", "check", "promotion", "distance", "forward", "attacked", "choices", "replies")
    if ply >= len(problem.moves):
        yield from ((name, _NAN) for name in names)
        return
    board, after, move = boards[ply], boards[ply + 1], problem.moves[ply]
    forward = chess.square_rank(move.to_square) - chess.square_rank(move.from_square)
    values = (
        board.piece_type_at(move.from_square) or 0,
        _captured(board, move),
        after.is_check(),
        move.promotion or 0,
        chess.square_distance(move.from_square, move.to_square),
        forward if board.turn else -forward,
        after.is_attacked_by(after.turn, move.to_square),
        board.legal_moves.count(),
        after.legal_moves.count(),
    )
    yield from zip(names, map(float, values), strict=True)


def _is_quiet(boards: Sequence[chess.Board], ply: int, move: chess.Move) -> bool:
    return not (boards[ply].is_capture(move) or boards[ply + 1].is_check() or move.promotion)


def _captured(board: chess.Board, move: chess.Move) -> int:
    """Return the value of what a move captures, 0 if it captures nothing."""
    if not board.is_capture(move):
        return 0
    return PIECE_VALUES[board.piece_type_at(move.to_square) or chess.PAWN]


def _value(board: chess.Board, square: chess.Square) -> int:
    return PIECE_VALUES[board.piece_type_at(square) or chess.PAWN]
