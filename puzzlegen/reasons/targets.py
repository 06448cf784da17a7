"""How the target of a goal came to where it is hit."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.goal import Aim, Goal
from puzzlegen.reasons.pieces import Pieces
from puzzlegen.reasons.reason import Cause, Part, Reason, cause_of_reply


def target_moved(replay: Replay, pieces: Pieces, goal: Goal) -> Iterator[Reason]:
    """Find what last brought the target to its square, or that it stands there from the beginning."""
    kind = goal.target_kind
    # En passant, nothing is on the square that the capture goes to.
    if kind is None or not goal.ply.before.board.occupied >> goal.target & 1:
        return
    moved = pieces.last_move(goal.number, pieces.on(goal.number, goal.target))
    if moved is None:
        yield Reason(goal, Part.TARGET, Cause.STANDS, kind, goal.target, goal.number)
    else:
        number, origin = moved
        yield Reason(goal, Part.TARGET, cause_of_reply(replay, number), kind, origin, number)


def target_pinned(replay: Replay, pieces: Pieces, goal: Goal) -> Iterator[Reason]:
    """Find a target that could not leave because it is pinned to its king."""
    if goal.aim is Aim.CAPTURE and goal.number and goal.target_kind:
        board = goal.ply.before.board
        if board.is_pinned(not replay.solver, goal.target):
            yield Reason(goal, Part.TARGET, Cause.PINNED, goal.target_kind, goal.target, goal.number)


def escapes_taken(replay: Replay, pieces: Pieces, goal: Goal) -> Iterator[Reason]:
    """Find pieces that came next to their own king, which is checked or mated, and take a square from it."""
    if goal.aim not in (Aim.MATE, Aim.CHECK):
        return
    board = goal.ply.before.board
    around = chess.BB_KING_ATTACKS[goal.king] & board.occupied_co[not replay.solver]
    # What the move itself captures is not in the king's way.
    for square in chess.scan_forward(around & ~chess.BB_SQUARES[goal.ply.target]):
        moved = pieces.last_move(goal.number, pieces.on(goal.number, square))
        if moved is not None:
            number, origin = moved
            kind = goal.ply.before.kind(square)
            yield Reason(goal, Part.ESCAPE, cause_of_reply(replay, number), kind, origin, number)
