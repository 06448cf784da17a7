"""The reasons of a solution as facts: what a defender, a target or an attacker does, and why it matters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import chess
from chess import Square

from chess_motif.material import PIECE_VALUES
from puzzlegen.motifs.replay import AttackMap, Ply
from puzzlegen.reasons.fact import Course, Drawing, Fact, FactKind, Joint, Relation, Role, Verb, related
from puzzlegen.reasons.goal import Aim, Goal
from puzzlegen.reasons.reason import Cause, Part, Reason, newly_attacked
from puzzlegen.reasons.words import capital, joined, named, piece_name, pieces_named

# The most plies between a reason and its capture; later captures have other reasons.
_LONGEST_WAIT = 5


def reasons_told(course: Course) -> Iterator[Fact]:
    """Find the reasons that are worth telling, first those for the goal that decides."""
    placed = [
        (place, reason) for reason in course.reasons.found if (place := _place(course, reason)) is not None
    ]
    for _, reason in sorted(placed, key=lambda each: each[0]):
        if fact := fact_of(reason, course):
            yield fact


def fact_of(reason: Reason, course: Course) -> Fact | None:
    """Return a reason as a fact, None if it is not worth telling.

    Pieces that block their own king are part of the fact about the mating net.
    """
    find = _FACTS.get(reason.part)
    return find(_Scene(reason, course)) if find else None


def _place(course: Course, reason: Reason) -> tuple[int, bool] | None:
    """Return how early a reason is told, None if it is not told.

    Reasons for the goal that decides come first. A reason for an earlier check is told only if the king is
    lured, or if a piece is pinned.
    """
    goal, decisive = reason.goal, course.reasons.decisive
    # A change long before a capture is not its reason.
    is_late = goal.aim is Aim.CAPTURE and goal.number - reason.ply > _LONGEST_WAIT
    if is_late or decisive is None or goal.number > decisive.number:
        return None
    lures_king = reason.part is Part.TARGET and reason.cause in (Cause.ACCEPTS, Cause.RECAPTURES)
    is_pinned = reason.part is Part.DEFENDER and reason.ply == goal.number
    if goal is not decisive and goal.aim is Aim.CHECK and not (lures_king or is_pinned):
        return None
    # A move without a known cause says least.
    return int(goal is not decisive), reason.cause is Cause.MOVES


@dataclass(frozen=True)
class _Scene:
    """A reason with its solution."""

    reason: Reason
    course: Course

    @property
    def goal(self) -> Goal:
        """The goal of the reason."""
        return self.reason.goal

    @property
    def ply(self) -> Ply:
        """The ply of the reason, or of a goal that is only threatened at the end of the solution."""
        return self.course.replay.at(self.reason.ply) or self.goal.ply

    @property
    def guarded(self) -> Square | None:
        """The square that the piece of the reason defends: the target or, for mate, one up to the king.

        None for a pawn or a king that only attacks a square in between, to which it cannot move.
        """
        before, square, kind = self.ply.before, self.reason.square, self.reason.kind
        line = before.pin_mask(not self.course.solver, square)
        attacked = before.attacks[square] & self.goal.contested & line
        target = self.goal.ply.target
        if attacked >> target & 1:
            return target
        if kind in (chess.PAWN, chess.KING) or not attacked:
            return None
        return min(chess.scan_forward(attacked), key=lambda at: chess.square_distance(at, target))

    def owns(self, attack_map: AttackMap, square: Square) -> bool:
        """Return whether a piece of the opponent, not the king, is on a square."""
        board = attack_map.board
        return bool(board.occupied_co[not self.course.solver] & ~board.kings & chess.BB_SQUARES[square])

    def name(self, attack_map: AttackMap, square: Square) -> str:
        """Name the opponent's piece on a square or, without one or for a king, only the square."""
        return named(attack_map, square) if self.owns(attack_map, square) else chess.square_name(square)

    def guards(self, attack_map: AttackMap, square: Square) -> str:
        """Say that a square is guarded, or that the piece on the square is defended."""
        verb = "defends" if self.owns(attack_map, square) else "guards"
        return f"{verb} {self.name(attack_map, square)}"

    def fact(
        self,
        text: str,
        *relations: Relation,
        joint: Joint = Joint.AND,
        drawing: Drawing | None = None,
    ) -> Fact:
        """Return a fact about the ply of the reason, or about the line for a pin in its first position."""
        reason = self.reason
        is_constant = reason.cause is Cause.PINNED and reason.ply == self.goal.number == 0
        ply = -1 if is_constant else reason.ply
        kind = FactKind.DOUBLE if reason.part is Part.THREAT else FactKind(reason.part)
        return Fact(kind, ply, text, joint, frozenset(relations), drawing, reason=reason)


def _defender(scene: _Scene) -> Fact | None:
    reason, ply, guarded = scene.reason, scene.ply, scene.guarded
    square = reason.square
    if reason.ply == scene.goal.number:
        return _pinned(scene, ply.after, ply.number, f" and cannot take on {chess.square_name(ply.target)}")
    if guarded is None:
        return None
    relation, drawing = Relation(Verb.GUARDS, square, guarded), _guard(scene, guarded)
    # A piece that is no longer defended counts as attacked.
    attacked = related(Verb.ATTACKED, [guarded] if scene.owns(ply.after, guarded) else [])
    defender = piece_name(reason.kind, square, reason.kind == chess.KING)
    leaves = f"no longer {scene.guards(ply.after, guarded)}"
    match reason.cause:
        case Cause.CAPTURED | Cause.EXCHANGED:
            return _removed(scene, guarded, [relation, *attacked], drawing)
        case Cause.BLOCKED:
            text = f"comes between {defender} and {scene.name(ply.after, guarded)}"
            return scene.fact(text, Relation(Verb.CUT_OFF, square, guarded), *attacked, drawing=drawing)
        case Cause.PINNED:
            return _pinned(scene, ply.after, ply.number + 1, f" and {leaves}")
    # It says nothing that a piece goes to a square where it is taken.
    if guarded == ply.target or ply.after.attacks[ply.target] >> guarded & 1:
        return None
    return scene.fact(leaves, relation, drawing=drawing)


def _removed(scene: _Scene, guarded: Square, relations: Iterable[Relation], drawing: Drawing | None) -> Fact:
    """Return the fact that a defender is captured or exchanged."""
    reason, ply = scene.reason, scene.ply
    which = scene.guards(ply.before, guarded)
    price = PIECE_VALUES[ply.kind] - PIECE_VALUES[reason.kind]
    again = scene.course.replay.at(ply.number + 2)
    regained = again is not None and again.captured and again.target == ply.target
    if reason.cause is Cause.CAPTURED or price < -1 or (price > 1 and regained):
        return scene.fact(which, *relations, joint=Joint.WHICH, drawing=drawing)
    done = "given up" if price > 1 else "exchanged"
    taken = piece_name(reason.kind, reason.square)
    text = capital(f"{piece_name(ply.kind, ply.origin)} is {done} for {taken}, which {which}")
    return scene.fact(text, *relations, joint=Joint.ALONE, drawing=drawing)


def _pinned(scene: _Scene, attack_map: AttackMap, number: int, effect: str = "") -> Fact:
    """Return the fact that a piece is pinned before the ply `number`, and with what effect."""
    square = scene.reason.square
    pinner = attack_map.pinners[not scene.course.solver][square]
    text = f"{piece_name(scene.reason.kind, square)} is pinned by {named(attack_map, pinner)}{effect}"
    drawing = scene.course.draws(Role.ATTACK, number, arrows=[(pinner, square)])
    return scene.fact(capital(text), Relation(Verb.PINNED, square), joint=Joint.ALONE, drawing=drawing)


def _guard(scene: _Scene, guarded: Square) -> Drawing | None:
    """Draw an arrow to the guarded square, or mark the piece if it does not guard the square yet."""
    course, square = scene.course, scene.reason.square
    if course.replay.start.attacks.get(square, chess.BB_EMPTY) >> guarded & 1:
        return course.draws(Role.DEFENDER, scene.ply.number, arrows=[(square, guarded)])
    return course.draws(Role.DEFENDER, scene.ply.number, squares=[square])


def _shut(scene: _Scene) -> Fact | None:
    guarded, reason = scene.guarded, scene.reason
    if guarded is None:
        return None
    defender = piece_name(reason.kind, reason.square)
    text = f"cuts {defender} off from {scene.name(scene.ply.after, guarded)}"
    return scene.fact(text, Relation(Verb.CUT_OFF, reason.square, guarded), drawing=_guard(scene, guarded))


def _target(scene: _Scene) -> Fact | None:
    """Return the fact that a target is pinned, or that a king takes an offered piece."""
    reason, goal = scene.reason, scene.goal
    # A pinned pawn would hardly have moved away anyway.
    if reason.cause is Cause.PINNED and reason.kind != chess.PAWN:
        return _pinned(scene, goal.ply.before, goal.number)
    if reason.kind != chess.KING or reason.cause not in (Cause.ACCEPTS, Cause.RECAPTURES):
        return None
    fate = "is threatened with mate" if goal.threatened else "is mated"
    if goal.aim is Aim.CHECK:
        fate = "is checked"
    lured = (reason.square, scene.ply.target)
    return scene.fact(f"{fate} there", drawing=scene.course.draws(Role.LURED, reason.ply, arrows=[lured]))


def _attacker(scene: _Scene) -> Fact | None:
    """Return the fact of a new attack on the target. That a piece comes to capture next needs no words."""
    reason, ply, goal = scene.reason, scene.ply, scene.goal
    target = goal.ply.target
    is_new = reason.cause is not Cause.STANDS and goal.aim is Aim.CAPTURE
    if is_new and ply.after.board.occupied_co[not scene.course.solver] >> target & 1:
        return scene.fact(f"attacks {scene.name(ply.after, target)}", Relation(Verb.ATTACKED, target))
    return None


def _opened(scene: _Scene) -> Fact | None:
    ply, goal, pieces = scene.ply, scene.goal, scene.course.reasons.pieces
    # If a king leaves a line and is mated along it, the mate says enough.
    if ply.number % 2 and ply.kind == chess.KING and goal.aim in (Aim.MATE, Aim.CHECK):
        return None
    square = pieces.square(ply.number, pieces.on(goal.number, goal.ply.origin))
    assert square is not None
    target, at = goal.ply.target, chess.square_name(square)
    drawing = scene.course.draws(Role.ATTACK, ply.number, arrows=[(square, target)])
    if goal.ply.kind == chess.PAWN:
        return scene.fact(f"makes way for the pawn on {at}", drawing=drawing)
    if not chess.between(square, target) >> ply.origin & 1:
        return None
    name = chess.piece_name(ply.before.kind(square))
    if ply.target == target:
        # A piece of the opponent that moved along the line did not open it.
        if ply.number % 2:
            return None
        relation = Relation(Verb.GUARDS, square, target)
        return scene.fact(f"is backed up by the {name} on {at}", relation, drawing=drawing)
    # Opening a line to a square that is still empty says nothing about the move.
    if goal.aim is Aim.CAPTURE and not scene.owns(ply.after, target):
        return None
    verb = "opens" if ply.number % 2 else "uncovers"
    is_same = scene.owns(ply.after, target) and ply.after.kind(target) == ply.before.kind(square)
    what = scene.name(ply.after, target)
    text = f"{verb} the {name}'s line to {'the enemy ' + what.removeprefix('the ') if is_same else what}"
    relations = Relation(Verb.OPENED, square, target), Relation(Verb.ATTACKED, target)
    return scene.fact(text, *relations, drawing=drawing)


def _threat(scene: _Scene) -> Fact | None:
    """Return the fact of two attacks at once, of which the goal uses one."""
    reason, ply, goal, course = scene.reason, scene.ply, scene.goal, scene.course
    if reason.cause not in (Cause.DOUBLE, Cause.TWO) or goal.aim is not Aim.CAPTURE:
        return None
    attacked, target = newly_attacked(ply), goal.ply.target
    if reason.cause is Cause.DOUBLE:
        attacked &= ply.after.attacks[ply.target]
    # The attacks are a reason for the goal only if the target is among them.
    pieces = course.reasons.pieces
    if not attacked >> target & 1 or pieces.on(ply.number + 1, target) != pieces.on(goal.number, target):
        return None
    others = attacked & ~ply.after.board.kings
    squares = course.by_worth(ply.after, others)
    names = joined(pieces_named(ply.after, squares))
    verb = "attacks" if reason.cause is Cause.DOUBLE else "threatens"
    joint = Joint.AND if attacked == others else Joint.ALSO
    text = f"{verb} {names}{' at once' if joint is Joint.AND else ''}"
    drawing = course.draws(Role.ATTACK, ply.number, squares=chess.scan_forward(attacked))
    return scene.fact(text, *related(Verb.ATTACKED, squares), joint=joint, drawing=drawing)


_FACTS: Mapping[Part, Callable[[_Scene], Fact | None]] = {
    Part.DEFENDER: _defender,
    Part.SHUT: _shut,
    Part.TARGET: _target,
    Part.ATTACKER: _attacker,
    Part.OPENED: _opened,
    Part.THREAT: _threat,
}
