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
    piece = pieces.on(goal.number, goal.target)
    kind = goal.target_kind
    # En passant, the target is not on the square that the capture goes to.
    if kind is None or piece is None:
        return
    number = pieces.last_move(goal.number, piece)
    if number is None:
        yield Reason(goal, Part.TARGET, Cause.STANDS, kind, goal.target, goal.number)
        return
    square = pieces.square(number, piece)
    assert square is not None
    yield Reason(goal, Part.TARGET, cause_of_reply(replay, number), kind, square, number)


def target_pinned(replay: Replay, pieces: Pieces, goal: Goal) -> Iterator[Reason]:
    """Find a target that could not leave because it is pinned to its king."""
    if goal.aim is Aim.CAPTURE and goal.number and goal.target_kind:
        board = goal.ply.before.board
        if board.is_pinned(not replay.solver, goal.target):
            yield Reason(goal, Part.TARGET, Cause.PINNED, goal.target_kind, goal.target, goal.number)


def escapes_taken(replay: Replay, pieces: Pieces, goal: Goal) -> Iterator[Reason]:
    """Find pieces of the opponent that came next to their king, which is checked or mated, and are in its way."""
    if goal.aim not in (Aim.MATE, Aim.CHECK):
        return
    board = goal.ply.before.board
    around = chess.BB_KING_ATTACKS[goal.king] & board.occupied_co[not replay.solver]
    for square in chess.scan_forward(around):
        piece = pieces.on(goal.number, square)
        assert piece is not None
        number = pieces.last_move(goal.number, piece)
        if number is not None:
            origin = pieces.square(number, piece)
            assert origin is not None
            kind = goal.ply.before.kind(square)
            yield Reason(goal, Part.ESCAPE, cause_of_reply(replay, number), kind, origin, number)
