"""Why the goals of a solution are reached: what earlier moves have changed.

There are rules about the defenders of a goal that are gone or pinned, how the target came to its square, how
the attacker came to attack it, and what the move before threatened. Nothing is searched: the attacks and the
moves of the solution are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

import chess
from chess import Bitboard, PieceType, Square

from puzzlegen.motifs.replay import AttackMap, Ply, Replay
from puzzlegen.reasons.goal import Aim, Goal, Pieces, decisive, goals_of


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
    # The solver's move before, which threatened something.
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

    # What the solver's move before newly attacked, kings included: two pieces by the piece that moved, two
    # otherwise, the king, another piece, nothing.
    DOUBLE = "double"
    TWO = "two"
    CHECK = "check"
    ONE = "one"
    NONE = "none"


class Reason(NamedTuple):
    """A reason why a goal is reached.

    The reason is about a piece of this `kind`, which was on `square` before the ply with the number `ply`.
    That ply changed something; if nothing changed, it is the goal itself.
    """

    goal: Goal
    part: Part
    cause: Cause
    kind: PieceType
    square: Square
    ply: int


class Reasons:
    """The goals of a solution, the decisive goal (None if there is no goal), and the reasons for all goals.

    `pieces` says where each piece is during the solution.
    """

    def __init__(self, replay: Replay) -> None:
        """Find the goals of a solution."""
        self._replay = replay
        self.pieces = Pieces(replay)
        self.goals = goals_of(replay)
        self.decisive = decisive(self.goals, replay)

    # Computed only when it is needed: searches need the goals alone.
    @cached_property
    def found(self) -> list[Reason]:
        """The reasons, in the order of the goals and of the rules."""
        return [
            reason
            for goal in self.goals
            for rule in RULES
            for reason in rule(self._replay, self.pieces, goal)
        ]


def cause_of(replay: Replay, number: int) -> Cause:
    """Return the cause of a ply: why the opponent moved (odd number), or how the solver did (even number)."""
    ply = replay.plies[number]
    if number % 2 == 0:
        return Cause(f"comes{'-x' if ply.captured else ''}{'+' if ply.check else ''}")
    offer = replay.plies[number - 1]
    if ply.captured:
        if ply.target != offer.target:
            return Cause.TAKES
        return Cause.RECAPTURES if offer.captured else Cause.ACCEPTS
    if offer.check:
        return Cause.FLEES if ply.origin == ply.before.king(not replay.solver) else Cause.INTERPOSES
    return Cause.LEAVES if offer.after.is_hanging(ply.origin) else Cause.MOVES


def defenders_gone(replay: Replay, pieces: Pieces, goal: Goal) -> Iterator[Reason]:
    """Find the pieces that defended the goal's squares earlier but no longer do, and why they stopped.

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
    # The captured piece itself is no defender.
    if goal.aim in (Aim.CAPTURE, Aim.PROMOTE) and goal.ply.before.board.occupied >> goal.target & 1:
        gone.add(pieces.on(goal.number, goal.target))
    for number in range(goal.number - 1, -1, -1):
        for piece in sorted(defending[number] - defending[number + 1] - gone):
            gone.add(piece)
            yield _defender_gone(replay, pieces, goal, number, piece)


def _defender_gone(replay: Replay, pieces: Pieces, goal: Goal, number: int, piece: Square) -> Reason:
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
        cause = cause_of(replay, number)
    elif ply.after.attacks[square] & goal.contested:
        cause = Cause.PINNED
    elif number % 2:
        part, cause = Part.SHUT, cause_of(replay, number)
    else:
        cause = Cause.BLOCKED
    return Reason(goal, part, cause, ply.before.kind(square), square, number)


def _defenders(attack_map: AttackMap, color: chess.Color, contested: Bitboard) -> Iterator[Square]:
    for square in chess.scan_forward(attack_map.board.occupied_co[color]):
        attacked = attack_map.attacks[square] & contested
        if attacked and attacked & attack_map.pin_mask(color, square):
            yield square


def defenders_pinned(replay: Replay, pieces: Pieces, goal: Goal) -> Iterator[Reason]:
    """Find the pieces that could capture on the goal's square, but are pinned to their king.

    A piece counts if it is pinned both in the puzzle position and when the goal is reached.
    """
    after, enemy = goal.ply.after, not replay.solver
    for square in after.attackers(enemy, goal.ply.target):
        free = after.pin_mask(enemy, square) | replay.start.pin_mask(enemy, square)
        if pieces.on(goal.number, square) == square and not free >> goal.ply.target & 1:
            kind = after.kind(square)
            yield Reason(goal, Part.DEFENDER, Cause.PINNED, kind, square, goal.number)


def target_moved(replay: Replay, pieces: Pieces, goal: Goal) -> Iterator[Reason]:
    """Find the last move of the target to its square, or that the target has not moved."""
    # The square is empty for an en-passant capture, and for a promotion without capture.
    if goal.ply.before.board.occupied >> goal.target & 1:
        kind = goal.ply.before.kind(goal.target)
        stands = Reason(goal, Part.TARGET, Cause.STANDS, kind, goal.target, goal.number)
        yield _last_moved(replay, pieces, goal, Part.TARGET, goal.target) or stands


def _last_moved(replay: Replay, pieces: Pieces, goal: Goal, part: Part, square: Square) -> Reason | None:
    """Return the last move of the piece on a square as a reason, None if it has not moved."""
    moved = pieces.last_move(goal.number, pieces.on(goal.number, square))
    if moved is None:
        return None
    number, origin = moved
    return Reason(goal, part, cause_of(replay, number), goal.ply.before.kind(square), origin, number)


def target_pinned(replay: Replay, pieces: Pieces, goal: Goal) -> Iterator[Reason]:
    """Find a target that could not move away because it is pinned to its king."""
    is_pinned = goal.target in goal.ply.before.pinners[not replay.solver]
    if goal.aim is Aim.CAPTURE and goal.number and goal.target_kind and is_pinned:
        yield Reason(goal, Part.TARGET, Cause.PINNED, goal.target_kind, goal.target, goal.number)


def escapes_taken(replay: Replay, pieces: Pieces, goal: Goal) -> Iterator[Reason]:
    """Find pieces that moved next to their own king, and take a square from it in a check or mate."""
    if goal.aim not in (Aim.MATE, Aim.CHECK):
        return
    board = goal.ply.before.board
    around = chess.BB_KING_ATTACKS[goal.king] & board.occupied_co[not replay.solver]
    # A piece that the move itself captures is not in the king's way.
    for square in chess.scan_forward(around & ~chess.BB_SQUARES[goal.ply.target]):
        if reason := _last_moved(replay, pieces, goal, Part.ESCAPE, square):
            yield reason


def attacker_comes(replay: Replay, pieces: Pieces, goal: Goal) -> Iterator[Reason]:
    """Find how the attacker came to attack its target square: by its own move, or because a line opened."""
    attacker = pieces.on(goal.number, goal.ply.origin)
    for number in range(goal.number - 1, -1, -1):
        square = pieces.square(number, attacker)
        assert square is not None
        if _reaches(goal, replay.plies[number].before, square):
            continue
        ply = replay.plies[number]
        if pieces.square(number + 1, attacker) != square:
            yield Reason(goal, Part.ATTACKER, cause_of(replay, number), goal.ply.kind, square, number)
        else:
            yield Reason(goal, Part.OPENED, cause_of(replay, number), ply.kind, ply.origin, number)
        return
    yield Reason(goal, Part.ATTACKER, Cause.STANDS, goal.ply.kind, goal.ply.origin, goal.number)


def _reaches(goal: Goal, attack_map: AttackMap, square: Square) -> bool:
    target = goal.ply.target
    if goal.ply.kind == chess.PAWN and not goal.ply.captured:
        return square == goal.ply.origin and not attack_map.board.occupied >> target & 1
    return bool(attack_map.attacks[square] >> target & 1)


def threats(replay: Replay, pieces: Pieces, goal: Goal) -> Iterator[Reason]:
    """Find how much the solver's move before newly attacked: hanging pieces (without pawns), and the king."""
    if goal.number == 0:
        return
    # If the goal is only threatened, there is no reply in between.
    ply = replay.plies[goal.number - (1 if goal.threatened else 2)]
    attacked = newly_attacked(ply)
    if chess.popcount(attacked & ply.after.attacks[ply.target]) > 1:
        cause = Cause.DOUBLE
    elif chess.popcount(attacked) > 1:
        cause = Cause.TWO
    elif attacked:
        cause = Cause.CHECK if ply.check else Cause.ONE
    else:
        cause = Cause.NONE
    yield Reason(goal, Part.THREAT, cause, ply.after.kind(ply.target), ply.origin, ply.number)


def newly_attacked(ply: Ply) -> Bitboard:
    """Return the squares of the pieces that hang because of a move, and of the king if it is checked."""
    board, squares = ply.after.board, chess.BB_EMPTY
    for square in chess.scan_forward(board.occupied_co[board.turn] & ~board.pawns):
        if ply.after.is_hanging(square) and not _hung(ply, square):
            squares |= chess.BB_SQUARES[square]
    if ply.check:
        squares |= chess.BB_SQUARES[ply.after.king(board.turn)]
    return squares


def _hung(ply: Ply, square: Square) -> bool:
    """Return whether the piece on a square was already there before a ply, and hung."""
    before = ply.before.board.piece_at(square)
    return before == ply.after.board.piece_at(square) and ply.before.is_hanging(square)


# In the order in which their reasons are listed.
RULES: tuple[Callable[[Replay, Pieces, Goal], Iterator[Reason]], ...] = (
    defenders_gone, defenders_pinned, target_moved, target_pinned, escapes_taken, attacker_comes, threats,
)  # fmt: skip
