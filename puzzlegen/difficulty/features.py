"""What can be seen of a puzzle at once: counts of pieces and moves, and the kinds of moves in the solution.

The cheap features of the rating model. All are numbers; one that does not exist, such as what a third move
captures when there are two, is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import chess

from chess_motif.material import PIECE_VALUES, capture_by, material_balance
from puzzlegen.difficulty.problem import DESCRIBED_MOVES, Problem
from puzzlegen.motifs.replay import AttackMap, Ply, Replay
from puzzlegen.motifs.tags import TAGS

_KINDS = {
    "pawns": chess.PAWN,
    "knights": chess.KNIGHT,
    "bishops": chess.BISHOP,
    "rooks": chess.ROOK,
    "queens": chess.QUEEN,
}
_NAN = float("nan")


def features(problem: Problem) -> dict[str, float]:
    """Return the features of a problem by name."""
    replay = Replay(problem.position, problem.moves)
    values = dict(_of_position(replay.start))
    values |= dict(_of_move_before(problem))
    values |= dict(_of_line(replay))
    for number in range(DESCRIBED_MOVES):
        values |= {f"{name}({number + 1})": value for name, value in _of_move(replay.at(2 * number))}
    return values | {f"tag_{tag}": float(tag in problem.tags) for tag in TAGS}


def _of_position(position: AttackMap) -> Iterator[tuple[str, float]]:
    board = position.board
    solver = board.turn
    for name, kind in _KINDS.items():
        yield f"own_{name}", len(board.pieces(kind, solver))
        yield f"enemy_{name}", len(board.pieces(kind, not solver))
    yield "balance", material_balance(board, solver)
    yield "move_number", board.fullmove_number
    legal = position.legal_moves
    captures = [(move, _captured(board, move)) for move in legal if board.is_capture(move)]
    defended = position.defended[not solver]
    free = [value for move, value in captures if not defended & chess.BB_SQUARES[move.to_square]]
    yield "legal_moves", len(legal)
    yield "legal_captures", len(captures)
    yield "legal_checks", sum(board.gives_check(move) for move in legal)
    yield "in_check", board.is_check()
    yield "largest_capture", max((value for _, value in captures), default=0)
    yield "largest_free_capture", max(free, default=0)
    for name, side in (("own", solver), ("enemy", not solver)):
        threatened = _threatened(position, side)
        yield f"{name}_king_attackers", _attackers_near_king(position, side)
        yield f"{name}_threatened", sum(threatened)
        yield f"{name}_most_threatened", max(threatened, default=0)


def _threatened(position: AttackMap, side: chess.Color) -> list[int]:
    """Return the values of the pieces of a side that hang."""
    pieces = chess.scan_forward(position.board.occupied_co[side])
    return [PIECE_VALUES[position.kind(square)] for square in pieces if position.is_hanging(square)]


def _attackers_near_king(position: AttackMap, side: chess.Color) -> int:
    """Return how many enemy pieces attack the king of a side or a square next to it."""
    king = position.king(side)
    near = chess.BB_KING_ATTACKS[king] | chess.BB_SQUARES[king]
    enemies = chess.scan_forward(position.board.occupied_co[not side])
    return sum(bool(position.attacks[square] & near) for square in enemies)


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
    kinds = (board.piece_type_at(square) for square in chess.scan_forward(attacked))
    yield "before_attacks", sum(PIECE_VALUES[kind] for kind in kinds if kind is not None)


def _of_line(replay: Replay) -> Iterator[tuple[str, float]]:
    own, replies = replay.solver_plies, replay.plies[1::2]
    yield "moves", len(own)
    positions = [replay.start, *(ply.after for ply in replay.plies)]
    balances = [material_balance(position.board, replay.solver) for position in positions]
    yield "gain", balances[-1] - balances[0]
    yield "deepest_sacrifice", balances[0] - min(balances)
    yield "mate", replay.mates
    yield "checks", sum(ply.check for ply in own)
    yield "captures", sum(ply.captured is not None for ply in own)
    yield "quiet_moves", sum(ply.quiet for ply in own)
    yield "pieces_moved", len({ply.kind for ply in own})
    choices = [len(reply.before.legal_moves) for reply in replies]
    yield "forced_replies", choices.count(1)
    yield "log_of_replies", sum(map(math.log, choices))
    yield "captures_in_reply", sum(reply.captured is not None for reply in replies)
    yield "log_of_choices", sum(math.log(len(ply.before.legal_moves)) for ply in own)


def _of_move(ply: Ply | None) -> Iterator[tuple[str, float]]:
    names = ("kind", "capture", "check", "promotion", "distance", "forward", "attacked", "choices", "replies")
    if ply is None:
        yield from ((name, _NAN) for name in names)
        return
    board, after = ply.before.board, ply.after.board
    forward = chess.square_rank(ply.target) - chess.square_rank(ply.origin)
    values = (
        ply.kind,
        PIECE_VALUES[ply.captured] if ply.captured else 0,
        ply.check,
        ply.move.promotion or 0,
        chess.square_distance(ply.origin, ply.target),
        forward if board.turn else -forward,
        after.is_attacked_by(after.turn, ply.target),
        len(ply.before.legal_moves),
        len(ply.after.legal_moves),
    )
    yield from zip(names, map(float, values), strict=True)


def _captured(board: chess.Board, move: chess.Move) -> int:
    """Return the value of what a move captures, 0 if it captures nothing."""
    capture = capture_by(board, move)
    return PIECE_VALUES[capture.kind] if capture else 0
