"""A reason why a goal is reached: what an earlier move of the solution changed."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from chess import PieceType, Square

from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.goal import Goal


class Part(StrEnum):
    """What a reason is about."""

    # A piece that no longer defends the goal.
    DEFENDER = "defender"
    # A piece of the opponent's own that comes between a defender and the goal.
    SHUT = "shut"
    # The piece that is captured, or the king that is checked or mated.
    TARGET = "target"
    # A piece of the opponent's own that takes a square from the king.
    ESCAPE = "escape"
    # The piece that reaches the goal.
    ATTACKER = "attacker"
    # A piece that opens the attacker's line.
    OPENED = "opened"
    # The solver's move before, by what it threatened.
    THREAT = "threat"


class Cause(StrEnum):
    """How something came about."""

    # A piece of the opponent moved: it captured a piece that was offered (the move before captured nothing),
    # recaptured, or captured elsewhere; as a king it left a check, it came between a check and the king, it
    # was attacked and left; or none of these.
    ACCEPTS = "accepts"
    RECAPTURES = "recaptures"
    TAKES = "takes"
    FLEES = "flees"
    INTERPOSES = "interposes"
    LEAVES = "leaves"
    MOVES = "moves"

    # The solver did something to a defender: captured it, captured it and was recaptured, came between it and
    # the goal, or pinned it.
    CAPTURED = "captured"
    EXCHANGED = "exchanged"
    BLOCKED = "blocked"
    PINNED = "pinned"

    # The attacker, or the piece that opens its line, moved: quietly, by a capture, with a check, or both.
    COMES = "comes"
    COMES_CAPTURING = "comes-x"
    COMES_CHECKING = "comes+"
    COMES_CAPTURING_CHECKING = "comes-x+"

    # Nothing changed since the puzzle position.
    STANDS = "stands"

    # What the solver's move before attacked anew, kings included: two pieces by the piece that moved, two
    # otherwise, the king, another piece, nothing.
    DOUBLE = "double"
    TWO = "two"
    CHECK = "check"
    ONE = "one"
    NONE = "none"


class Reason(NamedTuple):
    """A reason why a goal is reached.

    `kind` is the piece that it is about, `square` where that piece was before the ply with the number `ply`,
    which changed something; if nothing changed, that ply is the goal itself.
    """

    goal: Goal
    part: Part
    cause: Cause
    kind: PieceType
    square: Square
    ply: int


def cause_of_reply(replay: Replay, number: int) -> Cause:
    """Return why the opponent made the move with this number (odd)."""
    offer, reply = replay.plies[number - 1], replay.plies[number]
    if reply.captured:
        if reply.target != offer.target:
            return Cause.TAKES
        return Cause.RECAPTURES if offer.captured else Cause.ACCEPTS
    if offer.check:
        return Cause.FLEES if reply.origin == reply.before.king(not replay.solver) else Cause.INTERPOSES
    return Cause.LEAVES if offer.after.is_hanging(reply.origin) else Cause.MOVES


def cause_of_move(replay: Replay, number: int) -> Cause:
    """Return how a move of the solver (even) came with tempo, as it brings or uncovers the attacker."""
    ply = replay.plies[number]
    if ply.captured:
        return Cause.COMES_CAPTURING_CHECKING if ply.check else Cause.COMES_CAPTURING
    return Cause.COMES_CHECKING if ply.check else Cause.COMES
