"""What is drawn for a reason: arrows and marked squares on the position of the puzzle.

What concerns pieces that come to their squares only in the course of the solution is left out: on the first
position, nobody could understand it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import chess
from chess import Square

from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.goal import Pieces
from puzzlegen.reasons.reason import Cause, Part, Reason
from puzzlegen.reasons.words import Scene, pinner_of


class Role(StrEnum):
    """What something is drawn for."""

    # A piece that stops guarding a square.
    DEFENDER = "defender"
    # A piece of the opponent that is lured, driven or forced somewhere.
    LURED = "lured"
    # A line of the solver that is opened, a pin, what a piece guards, or pieces that are attacked.
    ATTACK = "attack"


class Drawing(NamedTuple):
    """What is drawn for one reason: arrows from square to square, and marked squares. Either may be empty."""

    role: Role
    arrows: tuple[tuple[Square, Square], ...] = ()
    squares: tuple[Square, ...] = ()


def draw(reason: Reason, replay: Replay, pieces: Pieces) -> Drawing | None:
    """Return what is drawn for a reason, None if that is nothing."""
    drawing = _drawing(Scene(reason, replay, pieces))
    return drawing if drawing.arrows or drawing.squares else None


def _drawing(scene: Scene) -> Drawing:
    reason = scene.reason
    if reason.cause is Cause.PINNED and reason.ply == scene.goal.number:
        goal = scene.goal.ply
        pinner = pinner_of(goal.before if reason.part is Part.TARGET else goal.after, reason.square)
        return Drawing(Role.ATTACK, _still(scene, pinner, reason.square))
    if reason.part in (Part.DEFENDER, Part.SHUT):
        return _defender(scene)
    if reason.part is Part.THREAT:
        return _threat(scene)
    if reason.part is Part.OPENED:
        return Drawing(Role.ATTACK, _still(scene, scene.attacker_square, scene.goal.ply.target))
    if reason.part in (Part.TARGET, Part.ESCAPE) and reason.cause is not Cause.STANDS:
        return Drawing(Role.LURED, _still(scene, reason.square, scene.ply.target))
    return Drawing(Role.ATTACK)


def _defender(scene: Scene) -> Drawing:
    """Draw an arrow to the guarded square, or mark the piece if it does not guard it yet.

    A piece that goes to the guarded square itself is lured there.
    """
    square, guarded = scene.reason.square, scene.guarded
    if guarded is None or not _unmoved(scene, square):
        return Drawing(Role.DEFENDER)
    if scene.ply.origin == square and scene.ply.target == guarded:
        return Drawing(Role.LURED, ((square, guarded),))
    if scene.replay.start.attacks[square] >> guarded & 1:
        return Drawing(Role.DEFENDER, ((square, guarded),))
    return Drawing(Role.DEFENDER, squares=(square,))


def _threat(scene: Scene) -> Drawing:
    attacked = scene.attacked if scene.reason.cause in (Cause.DOUBLE, Cause.TWO) else 0
    squares = _unmoved(scene, *chess.scan_forward(attacked))
    # One of two attacked pieces would not show a double attack.
    return Drawing(Role.ATTACK, squares=squares if len(squares) == chess.popcount(attacked) else ())


def _still(scene: Scene, origin: Square, target: Square) -> tuple[tuple[Square, Square], ...]:
    """Return an arrow, if the piece on its origin has been there from the beginning."""
    return ((origin, target),) if _unmoved(scene, origin) else ()


def _unmoved(scene: Scene, *squares: Square) -> tuple[Square, ...]:
    """Return those squares whose piece has not moved between the puzzle position and the reason's ply."""
    number = scene.ply.number
    return tuple(square for square in squares if scene.pieces.on(number, square) == square)
