"""Defenders of a goal that are gone when it is reached."""

from __future__ import annotations

from collections.abc import Iterator

import chess
from chess import Bitboard, Square

from puzzlegen.motifs.replay import AttackMap, Replay
from puzzlegen.reasons.goal import Aim, Goal
from puzzlegen.reasons.pieces import Pieces
from puzzlegen.reasons.reason import Cause, Part, Reason, cause_of_reply


def defenders_gone(replay: Replay, pieces: Pieces, goal: Goal) -> Iterator[Reason]:
    """Find the pieces that defended the goal's squares earlier and no longer do: how each stopped last.

    A pinned piece does not defend, except along the line of the pin.
    """
    contested = goal.contested
    positions = [*(ply.before for ply in replay.plies[: goal.number]), goal.ply.before]
    defending = [
        {
            pieces.on(number, square)
            for square in _defenders(attack_map, not replay.solver, contested)
            if square != goal.ply.target
        }
        for number, attack_map in enumerate(positions)
    ]
    gone = set(defending[goal.number])
    # A piece that is captured did not defend itself.
    if goal.aim in (Aim.CAPTURE, Aim.PROMOTE) and goal.ply.before.board.occupied >> goal.target & 1:
        gone.add(pieces.on(goal.number, goal.target))
    for number in range(goal.number - 1, -1, -1):
        for piece in sorted(defending[number] - defending[number + 1] - gone):
            gone.add(piece)
            yield _reason(replay, pieces, goal, number, piece)


def defenders_pinned(replay: Replay, pieces: Pieces, goal: Goal) -> Iterator[Reason]:
    """Find the pieces that attack the goal's square, but are pinned to their king from the beginning."""
    attack_map = goal.ply.before
    for square in attack_map.attackers(not replay.solver, goal.ply.target):
        unmoved = pieces.on(goal.number, square) == square
        if unmoved and _is_tied(attack_map, square, goal) and _is_tied(replay.start, square, goal):
            kind = attack_map.kind(square)
            yield Reason(goal, Part.DEFENDER, Cause.PINNED, kind, square, goal.number)


def _is_tied(attack_map: AttackMap, square: Square, goal: Goal) -> bool:
    """Return whether a pin keeps a piece from going to the goal's square."""
    board = attack_map.board
    color = board.color_at(square)
    if color is None or square == board.king(color):
        return False
    return not board.pin_mask(color, square) & chess.BB_SQUARES[goal.ply.target]


def _defenders(attack_map: AttackMap, color: chess.Color, contested: Bitboard) -> Iterator[Square]:
    board = attack_map.board
    for square in chess.scan_forward(board.occupied_co[color]):
        attacked = attack_map.attacks[square] & contested
        if attacked and (
            square == board.king(color)
            or not board.is_pinned(color, square)
            or board.pin_mask(color, square) & attacked
        ):
            yield square


def _reason(replay: Replay, pieces: Pieces, goal: Goal, number: int, piece: Square) -> Reason:
    ply = replay.plies[number]
    square = pieces.square(number, piece)
    after = pieces.square(number + 1, piece)
    assert square is not None
    part = Part.DEFENDER
    if after is None:
        reply = replay.at(number + 1)
        exchanged = reply is not None and reply.captured and reply.target == ply.target
        cause = Cause.EXCHANGED if exchanged else Cause.CAPTURED
    elif after != square:
        cause = cause_of_reply(replay, number)
    elif ply.after.attacks[square] & goal.contested:
        cause = Cause.PINNED
    elif number % 2:
        part, cause = Part.SHUT, cause_of_reply(replay, number)
    else:
        cause = Cause.BLOCKED
    return Reason(goal, part, cause, ply.before.kind(square), square, number)
