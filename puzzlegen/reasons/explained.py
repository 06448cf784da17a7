"""Why a solution works, in sentences and drawings; of a result, what it shares with the query.

Drawings are arrows and marked squares on the position of the puzzle. What concerns pieces that come to their
squares only in the course of the solution is left out: on the first position, nobody could understand it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import chess
from chess import Square

from db.models import Puzzle
from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.goal import Aim, Pieces
from puzzlegen.reasons.reason import Cause, Part, Reason, Reasons
from puzzlegen.reasons.words import Phrase, Scene, phrase_of, pinner_of, sentence

# The most sentences for one solution; its board remains readable.
MOST = 3

# The most that a sentence says of one move.
_MOST_EFFECTS = 2

# The place of a reason that is left out.
_NOWHERE = 2

# Causes that most solutions have, whatever their idea.
_USUAL = {
    *(Cause.STANDS, Cause.MOVES),
    *(Cause.COMES, Cause.COMES_CAPTURING, Cause.COMES_CHECKING, Cause.COMES_CAPTURING_CHECKING),
    *(Cause.CHECK, Cause.ONE, Cause.NONE),
}

# What says most comes first.
_ORDER = (Part.DEFENDER, Part.SHUT, Part.OPENED, Part.THREAT, Part.TARGET, Part.ESCAPE, Part.ATTACKER)


class Role(StrEnum):
    """What something is drawn for."""

    # A piece that stops guarding a square.
    DEFENDER = "defender"
    # A piece of the opponent that is lured, driven or forced somewhere.
    LURED = "lured"
    # A line of the solver that is opened, a pin, or pieces that are attacked at once.
    ATTACK = "attack"


class Drawing(NamedTuple):
    """What is drawn for one reason: arrows from square to square, and marked squares. Either may be empty."""

    role: Role
    arrows: tuple[tuple[Square, Square], ...] = ()
    squares: tuple[Square, ...] = ()


@dataclass(frozen=True)
class ExplainedReason:
    """A sentence that says why a solution works, and what is drawn for it, if anything."""

    sentence: str
    drawing: Drawing | None


def reasons_of(puzzle: Puzzle) -> list[str]:
    """Return the sentences that say why the solution of a stored puzzle works, none for a mate in one."""
    replay = Replay(puzzle.position(), puzzle.moves(), puzzle.capture_before())
    return [reason.sentence for reason in SolutionReasons(replay).explained()]


class SolutionReasons:
    """The reasons of one solution, and what is said of them."""

    def __init__(self, replay: Replay) -> None:
        """Find the reasons of a solution."""
        self._replay = replay
        self._reasons = Reasons(replay)

    def explained(self) -> tuple[ExplainedReason, ...]:
        """Return what matters most, at most `MOST` sentences in the order of the moves."""
        return self._explained(self._reasons.found, set())

    def explained_like(self, query: SolutionReasons) -> tuple[ExplainedReason, ...]:
        """Return the same for those reasons that a query has, too; first those with the same piece."""
        known = {_key(reason) for reason in query._reasons.found}
        exact = {(*_key(reason), reason.kind) for reason in query._reasons.found}
        shared = [reason for reason in self._reasons.found if _key(reason) in known]
        return self._explained(shared, {reason for reason in shared if (*_key(reason), reason.kind) in exact})

    def shares_win(self, other: SolutionReasons) -> bool:
        """Return whether another solution wins for one of the same reasons, and not only for usual ones."""
        return not self._keys_of_wins().isdisjoint(other._keys_of_wins())

    def _keys_of_wins(self) -> set[tuple[Part, Cause, Aim]]:
        return {
            _key(reason)
            for reason in self._reasons.found
            if reason.goal.aim is not Aim.CHECK and reason.cause not in _USUAL
        }

    def _explained(self, reasons: Iterable[Reason], preferred: set[Reason]) -> tuple[ExplainedReason, ...]:
        """Explain reasons: those for the goal that decides before others, and then those preferred."""

        def order(reason: Reason) -> tuple[int, bool, tuple[bool, int]]:
            return self._place(reason), reason not in preferred, _rank(reason)

        deeds: dict[tuple[int, Square], list[tuple[Reason, Phrase]]] = {}
        for reason in sorted(reasons, key=order):
            if self._place(reason) == _NOWHERE:
                continue
            phrase = phrase_of(reason, self._replay, self._reasons.pieces)
            if phrase is not None:
                deeds.setdefault((_when(reason), phrase.actor), []).append((reason, phrase))
        chosen = sorted(list(deeds.items())[:MOST], key=lambda item: item[0][0])
        return tuple(self._sentence(parts) for _, parts in chosen)

    def _place(self, reason: Reason) -> int:
        """Return how early a reason comes: for what decides, then for wins, lured kings and pins."""
        goal, decisive = reason.goal, self._reasons.decisive
        if goal is decisive:
            return 0
        if decisive is None or goal.number > decisive.number:
            return _NOWHERE
        lures_king = reason.part is Part.TARGET and reason.cause in (Cause.ACCEPTS, Cause.RECAPTURES)
        is_pinned = reason.part is Part.DEFENDER and reason.ply == goal.number
        return 1 if goal.aim is not Aim.CHECK or lures_king or is_pinned else _NOWHERE

    def _sentence(self, parts: list[tuple[Reason, Phrase]]) -> ExplainedReason:
        by_part: dict[Part, tuple[Reason, Phrase]] = {}
        for reason, phrase in parts:
            by_part.setdefault(reason.part, (reason, phrase))
        # A double attack says what is attacked.
        if Part.THREAT in by_part:
            by_part.pop(Part.ATTACKER, None)
        parts = list(by_part.values())[:_MOST_EFFECTS]
        drawings = (draw(reason, self._replay, self._reasons.pieces) for reason, _ in parts)
        return ExplainedReason(sentence([phrase for _, phrase in parts]), next(filter(None, drawings), None))


def _when(reason: Reason) -> int:
    """Return the ply that a sentence is about; a piece that is pinned all the time, once and first."""
    return -1 if reason.cause is Cause.PINNED and reason.ply == reason.goal.number else reason.ply


def _rank(reason: Reason) -> tuple[bool, int]:
    """Order reasons by how much they say: a move for no reason that we know says least."""
    return reason.cause is Cause.MOVES, _ORDER.index(reason.part)


def _key(reason: Reason) -> tuple[Part, Cause, Aim]:
    return reason.part, reason.cause, reason.goal.aim


def draw(reason: Reason, replay: Replay, pieces: Pieces) -> Drawing | None:
    """Return what is drawn for a reason, None if that is nothing."""
    drawing = _drawing(Scene(reason, replay, pieces))
    return drawing if drawing.arrows or drawing.squares else None


def _drawing(scene: Scene) -> Drawing:
    reason = scene.reason
    if reason.cause is Cause.PINNED and reason.ply == scene.goal.number:
        pinner = pinner_of(scene.goal.ply.before, reason.square)
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
