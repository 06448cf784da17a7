"""How the piece that reaches a goal came to attack it, and what the move before threatened."""

from __future__ import annotations

from collections.abc import Iterator

import chess
from chess import Bitboard, Square

from puzzlegen.motifs.replay import AttackMap, Ply, Replay
from puzzlegen.reasons.goal import Goal
from puzzlegen.reasons.pieces import Pieces
from puzzlegen.reasons.reason import Cause, Part, Reason, cause_of_move, cause_of_reply


def attacker_comes(replay: Replay, pieces: Pieces, goal: Goal) -> Iterator[Reason]:
    """Find how the piece came to attack the square that it goes to: by its move, or because a line opened."""
    attacker = pieces.on(goal.number, goal.ply.origin)
    for number in range(goal.number - 1, -1, -1):
        square = pieces.square(number, attacker)
        assert square is not None
        if _reaches(goal, replay.plies[number].before, square):
            continue
        ply = replay.plies[number]
        if pieces.square(number + 1, attacker) != square:
            yield Reason(goal, Part.ATTACKER, cause_of_move(replay, number), goal.ply.kind, square, number)
        else:
            cause = cause_of_reply(replay, number) if number % 2 else cause_of_move(replay, number)
            yield Reason(goal, Part.OPENED, cause, ply.kind, ply.origin, number)
        return
    yield Reason(goal, Part.ATTACKER, Cause.STANDS, goal.ply.kind, goal.ply.origin, goal.number)


def threats(replay: Replay, pieces: Pieces, goal: Goal) -> Iterator[Reason]:
    """Find how much the solver's move before attacked: what hangs since then, and the king.

    Pawns do not count.
    """
    if goal.number == 0:
        return
    # The reply is left out where the goal is only threatened.
    ply = replay.plies[goal.number - (1 if goal.threatened else 2)]
    attacked = attacked_anew(ply)
    if chess.popcount(attacked & ply.after.attacks[ply.target]) > 1:
        cause = Cause.DOUBLE
    elif chess.popcount(attacked) > 1:
        cause = Cause.TWO
    elif attacked:
        cause = Cause.CHECK if ply.check else Cause.ONE
    else:
        cause = Cause.NONE
    yield Reason(goal, Part.THREAT, cause, ply.after.kind(ply.target), ply.origin, ply.number)


def attacked_anew(ply: Ply) -> Bitboard:
    """Return the squares of what hangs since a move, and of the king if that is checked."""
    squares = chess.BB_EMPTY
    for square in _hanging(ply.after):
        if not _hung(ply, square):
            squares |= chess.BB_SQUARES[square]
    if ply.check:
        squares |= chess.BB_SQUARES[ply.after.king(ply.after.board.turn)]
    return squares


def _reaches(goal: Goal, attack_map: AttackMap, square: Square) -> bool:
    target = goal.ply.target
    if goal.ply.kind == chess.PAWN and not goal.ply.captured:
        return square == goal.ply.origin and not attack_map.board.occupied >> target & 1
    return bool(attack_map.attacks[square] >> target & 1)


def _hanging(attack_map: AttackMap) -> Iterator[Square]:
    board = attack_map.board
    for square in chess.scan_forward(board.occupied_co[board.turn] & ~board.pawns):
        if attack_map.is_hanging(square):
            yield square


def _hung(ply: Ply, square: Square) -> bool:
    """Return whether what is on a square after a ply was there before it, and hung."""
    before = ply.before.board.piece_at(square)
    return before == ply.after.board.piece_at(square) and ply.before.is_hanging(square)
