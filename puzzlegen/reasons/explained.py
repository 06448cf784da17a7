"""Why a solution works, in sentences and drawings; of a result, what it shares with the query.

Of all reasons and claims, the ones that say most are told, that of the first move before others, and
nothing twice.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import chess
from chess import Square

from chess_motif.material import Capture
from db.models import Puzzle
from puzzlegen.motifs.replay import Replay
from puzzlegen.motifs.worth import deciding_ply, net_gain
from puzzlegen.reasons.attacks import forked, pins, skewers, uncovered
from puzzlegen.reasons.captures import (
    backed,
    exchanges,
    forced_blocks,
    freed,
    guard_taken,
    in_return,
    king_held_off,
    not_at_once,
    overloaded,
    profits,
    tied,
)
from puzzlegen.reasons.checks import (
    before_taking_back,
    clearances,
    driven,
    knight_promotions,
)
from puzzlegen.reasons.claim import Claim, Course, Kind, TooManyPositionsError
from puzzlegen.reasons.defence import blocks, only_answers, parries, perpetual
from puzzlegen.reasons.drawing import Drawing, draw
from puzzlegen.reasons.goal import Aim
from puzzlegen.reasons.mating import nets
from puzzlegen.reasons.pawns import passed_pawns, unstoppable
from puzzlegen.reasons.reason import Cause, Part, Reason, Reasons
from puzzlegen.reasons.replies import against_others, deviation, flights, other_answers, trapped
from puzzlegen.reasons.threats import last_checks, longer_threats, threats, zugzwang
from puzzlegen.reasons.words import ALL_FATES, Phrase, as_sentence, deed_of, phrase_of, piece_name, sentence

# The most sentences for one solution; its board remains readable.
MOST = 3

# The most that a sentence says of one move.
_MOST_EFFECTS = 2

# Plies from a reason to the capture that it is for; later ones have other reasons.
_LONGEST_WAIT = 5

# The place of a reason that is left out.
_NOWHERE = 2

# Causes that most solutions have, whatever their idea.
_USUAL = {
    *(Cause.STANDS, Cause.MOVES),
    *(Cause.COMES, Cause.COMES_CAPTURING, Cause.COMES_CHECKING, Cause.COMES_CAPTURING_CHECKING),
    *(Cause.CHECK, Cause.ONE, Cause.NONE),
}

# Reasons of these parts say much; the others, how a piece comes to its square.
_TELLING = (Part.DEFENDER, Part.SHUT, Part.OPENED, Part.THREAT)

# Claims by how much they say; in between come the reasons that say much, and those that say little.
_CLAIMS: tuple[Kind | None, ...] = (
    *(Kind.NET, Kind.PERPETUAL, Kind.UNSTOPPABLE, Kind.OVERLOADED, Kind.COSTLY_DEFENCE),
    *(Kind.MATE_THREAT, Kind.LAST_CHECK, Kind.ZUGZWANG, Kind.TRAPPED, Kind.TIED_DOWN, Kind.BACKED),
    *(Kind.SKEWER, Kind.UNCOVERS, Kind.FORK, Kind.STOPS_MATE, Kind.STOPS_PAWN, Kind.KNIGHT_CHECK),
    *(Kind.PINNED, None),
    *(Kind.THREAT, Kind.MATE_IN_TWO, Kind.FREED, Kind.TIED, Kind.NOT_AT_ONCE, None),
    *(
        Kind.ONLY_ANSWER,
        Kind.FLIGHTS,
        Kind.OTHER_ANSWERS,
        Kind.BEFORE_TAKING_BACK,
        Kind.CLEARS,
        Kind.KING_HELD_OFF,
        Kind.DRIVEN,
        Kind.FORCED_BLOCK,
        Kind.GUARD_TAKEN,
        Kind.IN_RETURN,
        Kind.PASSED,
    ),
    *(Kind.UNDEFENDED, Kind.WORTH_MORE, Kind.OUTNUMBERED, Kind.SAVES, Kind.EXCHANGE),
)
_SAYS_MUCH, _SAYS_LITTLE = (rank for rank, kind in enumerate(_CLAIMS) if kind is None)
_LAST_RESORT = _CLAIMS.index(Kind.UNDEFENDED)

# Of these, the first one says enough of a move.
_ATTACKS = (
    *(Kind.UNSTOPPABLE, Kind.COSTLY_DEFENCE, Kind.MATE_THREAT, Kind.TRAPPED, Kind.TIED_DOWN, Kind.BACKED),
    *(Kind.SKEWER, Kind.FORK, Kind.THREAT),
)

# These are left out where something that says much is said of the first move.
_SPARE = [_CLAIMS.index(kind) for kind in (Kind.NOT_AT_ONCE, Kind.GUARD_TAKEN, Kind.IN_RETURN)]

# Of these, one is added to what is said: why something else fails is no reason alone.
_ADDED = [_CLAIMS.index(kind) for kind in (Kind.OTHER_ANSWERS, Kind.FLIGHTS, Kind.BEFORE_TAKING_BACK)]

# They say why an attacked piece cannot go away, or that it does not help.
_FLIGHTS = _CLAIMS.index(Kind.FLIGHTS)
_KEEPS = [
    _CLAIMS.index(kind)
    for kind in (Kind.TRAPPED, Kind.TIED_DOWN, Kind.PINNED, Kind.SKEWER, Kind.COSTLY_DEFENCE)
]
_AT_ONCE = re.compile(r" at once\.$| also attacks | and to promote ")

# They are about moves that are not played: nothing that two solutions share.
_OF_OTHER_REPLIES = {Kind.OTHER_ANSWERS, Kind.FLIGHTS}

# What follows the same words in two sentences can follow them in one.
_JOINED = (" and ", " before ")

# These are left out where a reason that says much is given for the same move.
_TOLD_BY_REASONS = (Kind.THREAT, Kind.GUARD_TAKEN, Kind.CLEARS)

# How claims are found, and which kinds each rule finds.
RULES: dict[Callable[[Course], Iterator[Claim]], set[Kind]] = {
    nets: {Kind.NET},
    unstoppable: {Kind.UNSTOPPABLE},
    passed_pawns: {Kind.PASSED},
    overloaded: {Kind.OVERLOADED},
    tied: {Kind.TIED},
    backed: {Kind.BACKED},
    king_held_off: {Kind.KING_HELD_OFF},
    freed: {Kind.FREED},
    forced_blocks: {Kind.FORCED_BLOCK},
    profits: {Kind.UNDEFENDED, Kind.WORTH_MORE, Kind.OUTNUMBERED},
    threats: {Kind.MATE_THREAT, Kind.COSTLY_DEFENCE, Kind.THREAT},
    last_checks: {Kind.LAST_CHECK},
    trapped: {Kind.TRAPPED, Kind.TIED_DOWN},
    zugzwang: {Kind.ZUGZWANG},
    perpetual: {Kind.PERPETUAL},
    parries: {Kind.STOPS_MATE, Kind.STOPS_PAWN, Kind.SAVES},
    only_answers: {Kind.ONLY_ANSWER},
    in_return: {Kind.IN_RETURN},
    guard_taken: {Kind.GUARD_TAKEN},
    not_at_once: {Kind.NOT_AT_ONCE},
    driven: {Kind.DRIVEN},
    before_taking_back: {Kind.BEFORE_TAKING_BACK},
    skewers: {Kind.SKEWER},
    uncovered: {Kind.UNCOVERS},
    clearances: {Kind.CLEARS},
    knight_promotions: {Kind.KNIGHT_CHECK},
    exchanges: {Kind.EXCHANGE},
    forked: {Kind.FORK},
    pins: {Kind.PINNED},
    longer_threats: {Kind.MATE_IN_TWO},
    blocks: {Kind.SAVES},
    other_answers: {Kind.OTHER_ANSWERS},
    flights: {Kind.FLIGHTS},
}

# What says most comes first.
_ORDER = (Part.DEFENDER, Part.SHUT, Part.OPENED, Part.THREAT, Part.TARGET, Part.ESCAPE, Part.ATTACKER)


@dataclass(frozen=True)
class ExplainedReason:
    """A sentence that says why a solution works, and what is drawn for it, if anything."""

    sentence: str
    drawing: Drawing | None


def reasons_of(puzzle: Puzzle) -> list[str]:
    """Return the sentences that say why the solution of a stored puzzle works, none if we cannot say it."""
    return [reason.sentence for reason in SolutionReasons.of(puzzle).explained()]


def reasons_of_line(
    position: chess.Board, moves: Sequence[chess.Move], capture_before: Capture | None = None
) -> list[str]:
    """Return the sentences that say why legal moves work for the side to move, which also moves last.

    `capture_before` is the capture by the move before them, None if it did not capture or is not known.
    """
    replay = Replay(position, moves, capture_before)
    return [reason.sentence for reason in SolutionReasons(replay).explained()]


def claims_of(replay: Replay, reasons: Reasons, kinds: Collection[Kind] = frozenset(Kind)) -> list[Claim]:
    """Return the first claim of each of the `kinds` about a solution that there is time to check."""
    course, found = Course(replay, reasons), dict[Kind, Claim]()
    for rule in (rule for rule, finds in RULES.items() if not finds.isdisjoint(kinds)):
        with suppress(TooManyPositionsError):
            for claim in rule(course):
                if claim.kind in kinds:
                    found.setdefault(claim.kind, claim)
    return list(found.values())


class SolutionReasons:
    """The reasons of one solution, and what is said of them."""

    def __init__(self, replay: Replay, other_defences: Sequence[Sequence[chess.Move]] = ()) -> None:
        """Find the reasons of a solution.

        `other_defences` are lines that begin after its first move and leave it at one of the next replies.
        """
        self._replay, self._reasons = replay, Reasons(replay)
        # With the number of the ply at which each leaves the solution; without an answer it says nothing.
        numbered = ((deviation(replay, line), line) for line in other_defences)
        self._other_defences = [(number, line) for number, line in numbered if number < len(line)]

    @classmethod
    def of(cls, puzzle: Puzzle) -> SolutionReasons:
        """Find the reasons of a stored puzzle. Raises `StoreError` if it is damaged."""
        replay = Replay(puzzle.position(), puzzle.moves(), puzzle.capture_before())
        return cls(replay, puzzle.other_defence_lines())

    @cached_property
    def _deciding_ply(self) -> int:
        """The number of the move that wins most; beyond the last if the solution mates or wins nothing."""
        decides = deciding_ply(self._replay)
        wins = not self._replay.mates and net_gain(decides, self._replay) > 0
        return decides.number if wins else len(self._replay.plies)

    @cached_property
    def _claims(self) -> list[Claim]:
        found = claims_of(self._replay, self._reasons)
        return [claim for claim in found if not self._is_refuted(claim)]

    def explained(self) -> tuple[ExplainedReason, ...]:
        """Return what matters most, at most `MOST` sentences in the order of the moves.

        One more says what follows other defences that these do not answer.
        """
        said = self._said
        sentences = [reason.sentence for reason in said]
        others = [each for each in self._other_defences if not self._is_told(*each, sentences)]
        return (*said, ExplainedReason(against_others(self._replay, others), None)) if others else said

    @cached_property
    def told(self) -> Mapping[int, Mapping[chess.Move, chess.Move]]:
        """What the sentences say of other replies: by the number of the ply, replies with answers."""
        told = defaultdict[int, dict[chess.Move, chess.Move]](dict)
        sentences = {reason.sentence for reason in self._said}
        for claim in self._claims:
            if claim.text in sentences:
                told[claim.ply + 1] |= claim.answered
        return told

    @cached_property
    def _said(self) -> tuple[ExplainedReason, ...]:
        return self._explained(self._reasons.found, set(), self._claims)

    def _is_told(self, number: int, line: Sequence[chess.Move], sentences: Sequence[str]) -> bool:
        """Return whether some sentences say what a line against another defence shows."""
        reply, answer = line[number - 1 : number + 1]
        if reply:
            return reply in self.told.get(number, ())
        # "… and threatens mate on g7."
        deed = as_sentence(deed_of(self._replay.plies[0]))[:-1]
        effects = [text.removeprefix(deed) for text in sentences if text.startswith(deed)]
        return any(chess.square_name(answer.to_square) in effect for effect in effects)

    def _is_refuted(self, claim: Claim) -> bool:
        """Return whether a line against another defence answers a reply in another way than a claim does."""
        return any(
            number == claim.ply + 1 and claim.answered.get(line[number - 1], line[number]) != line[number]
            for number, line in self._other_defences
        )

    def explained_like(self, query: SolutionReasons) -> tuple[ExplainedReason, ...]:
        """Return the same for those reasons that a query has, too; first those with the same piece."""
        known = {_key(reason) for reason in query._reasons.found}
        exact = {(*_key(reason), reason.kind) for reason in query._reasons.found}
        shared = [reason for reason in self._reasons.found if _key(reason) in known]
        kinds = {claim.kind for claim in query._claims} - _OF_OTHER_REPLIES
        return self._explained(
            shared,
            {reason for reason in shared if (*_key(reason), reason.kind) in exact},
            # Only these are looked for: most solutions have one or two kinds.
            claims_of(self._replay, self._reasons, kinds),
        )

    def shares_win(self, other: SolutionReasons) -> bool:
        """Return whether another solution wins for one of the same reasons, and not only for usual ones."""
        return not self._keys_of_wins().isdisjoint(other._keys_of_wins())

    def _keys_of_wins(self) -> set[tuple[Part, Cause, Aim]]:
        return {
            _key(reason)
            for reason in self._reasons.found
            if reason.goal.aim is not Aim.CHECK and reason.cause not in _USUAL
        }

    def _explained(
        self, reasons: Iterable[Reason], preferred: set[Reason], claims: Sequence[Claim]
    ) -> tuple[ExplainedReason, ...]:
        """Explain by reasons and claims: those for the goal that decides first, and then those preferred."""

        def order(reason: Reason) -> tuple[int, bool, tuple[bool, int]]:
            return self._place(reason), reason not in preferred, _rank(reason)

        claims = _without_repetition(claims)
        deeds: dict[tuple[int, Square], list[tuple[Reason, Phrase]]] = {}
        for reason in sorted(reasons, key=order):
            if self._place(reason) == _NOWHERE or any(_says_it_better(claim, reason) for claim in claims):
                continue
            phrase = phrase_of(reason, self._replay, self._reasons.pieces)
            if phrase is not None and _is_news(reason, phrase):
                deeds.setdefault((_when(reason), phrase.actor), []).append((reason, phrase))
        said = [
            _Said(_SAYS_MUCH if _says_much(parts) else _SAYS_LITTLE, when, self._sentence(parts))
            for (when, _), parts in deeds.items()
        ]
        telling = {one.ply for one in said if one.rank == _SAYS_MUCH}
        doubled = {one.ply for one in said if _AT_ONCE.search(one.reason.sentence)}
        discovered = {one.ply for one in said if " a discovered check by " in one.reason.sentence}
        pinned = any(reason.cause is Cause.PINNED for parts in deeds.values() for reason, _ in parts)
        said += [
            _Said(_CLAIMS.index(claim.kind), claim.ply, ExplainedReason(claim.text, claim.drawing))
            for claim in claims
            if not (claim.kind in _TOLD_BY_REASONS and claim.ply in telling)
            or (_AT_ONCE.search(claim.text) and claim.ply not in doubled)
            if not (claim.kind is Kind.PINNED and pinned)
            if not (claim.kind is Kind.UNCOVERS and claim.ply in discovered)
        ]
        said.sort(key=lambda one: one.rank)
        kept = {one.ply for one in said if one.rank in _KEEPS or _AT_ONCE.search(one.reason.sentence)}
        said = [one for one in said if one.rank != _FLIGHTS or one.ply not in kept]
        added = [one for one in said if one.rank in _ADDED][:1]
        said = [one for one in said if one.rank not in _ADDED]
        # The first move comes first; that a capture pays is said only where nothing better can be.
        first = [one for one in said if one.ply <= 0][:1]
        # A pin does not say what it wins.
        is_pin = bool(first) and first[0].rank == _CLAIMS.index(Kind.PINNED)
        spare = _SPARE if first and first[0].rank <= _SAYS_MUCH and not is_pin else ()
        others = [
            one
            for one in said
            if one not in first
            and one.rank < _LAST_RESORT
            and one.rank not in spare
            and (one.ply <= self._deciding_ply or not first)
        ]
        chosen = [*first, *others][: MOST - len(added)] or said[:1]
        chosen.sort(key=lambda one: (one.ply, one.rank))
        return self._joined(sorted([*chosen, *added], key=lambda one: one.ply))

    def _joined(self, said: Iterable[_Said]) -> tuple[ExplainedReason, ...]:
        """Return what is said, what the same move does in one sentence."""
        found: list[_Said] = []
        for one in said:
            ply = self._replay.at(max(one.ply, 0))
            # What is about the end of the line names no move.
            deed = as_sentence(deed_of(ply))[:-1] if ply else ""
            last = found[-1].reason if found else None
            text, before = one.reason.sentence, last.sentence if last else ""
            effect = text.removeprefix(deed)
            if (
                last
                and effect.startswith(_JOINED)
                and before.startswith(f"{deed} and ")
                and "," not in before
            ):
                drawing = last.drawing or one.reason.drawing
                found[-1] = found[-1]._replace(reason=ExplainedReason(f"{before[:-1]},{effect}", drawing))
            elif last and deed and effect.startswith(" and ") and before.startswith(deed):
                also = ExplainedReason(f"It also{effect.removeprefix(' and')}", one.reason.drawing)
                found.append(one._replace(reason=also))
            else:
                found.append(one)
        return tuple(one.reason for one in found)

    def _place(self, reason: Reason) -> int:
        """Return how early a reason comes: for what decides, then for wins, lured kings and pins."""
        goal, decisive = reason.goal, self._reasons.decisive
        # What is captured much later is not why.
        if goal.aim is Aim.CAPTURE and goal.number - reason.ply > _LONGEST_WAIT:
            return _NOWHERE
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
        # An opened line says how.
        if Part.OPENED in by_part:
            by_part.pop(Part.THREAT, None)
        parts = list(by_part.values())[:_MOST_EFFECTS]
        drawings = (draw(reason, self._replay, self._reasons.pieces) for reason, _ in parts)
        return ExplainedReason(sentence([phrase for _, phrase in parts]), next(filter(None, drawings), None))


class _Said(NamedTuple):
    """A sentence with its rank, from 0 for what says most, and the ply that it is about."""

    rank: int
    ply: int
    reason: ExplainedReason


def _without_repetition(claims: Sequence[Claim]) -> list[Claim]:
    """Leave out what a better claim says of the same move."""
    best: dict[int, Claim] = {}
    for claim in sorted(claims, key=lambda claim: _CLAIMS.index(claim.kind)):
        if claim.kind in _ATTACKS:
            best.setdefault(claim.ply, claim)
    return [claim for claim in claims if claim.kind not in _ATTACKS or best[claim.ply] is claim]


def _says_it_better(claim: Claim, reason: Reason) -> bool:
    """Return whether a claim says what a reason would say, and more."""
    if claim.kind is Kind.OVERLOADED:
        return reason.part is Part.DEFENDER and reason.ply == claim.ply + 1
    if claim.kind in (Kind.SKEWER, Kind.PINNED) and reason.part is Part.OPENED:
        return reason.ply == claim.ply + 1
    if claim.kind is Kind.BACKED and reason.part is Part.OPENED:
        return reason.ply == claim.ply
    if claim.kind not in _ATTACKS:
        return False
    if reason.part is Part.TARGET and reason.cause is Cause.PINNED:
        return f" pins {piece_name(reason.kind, reason.square)} " in claim.text
    parts = {Part.THREAT, Part.ATTACKER}
    if claim.kind in (Kind.MATE_THREAT, Kind.COSTLY_DEFENCE):
        parts.add(Part.OPENED)
    return reason.part in parts and reason.ply == claim.ply


def _is_news(reason: Reason, phrase: Phrase) -> bool:
    """Return whether a phrase says more than that something is captured, checked or mated."""
    if phrase.guarded or phrase.effect not in ALL_FATES:
        return True
    return reason.kind == chess.KING and reason.cause in (Cause.ACCEPTS, Cause.RECAPTURES)


def _says_much(parts: list[tuple[Reason, Phrase]]) -> bool:
    return any(reason.part in _TELLING for reason, _ in parts)


def _when(reason: Reason) -> int:
    """Return the ply that a sentence is about; a piece that is pinned all the time, once and first."""
    return -1 if reason.cause is Cause.PINNED and reason.ply == reason.goal.number == 0 else reason.ply


def _rank(reason: Reason) -> tuple[bool, int]:
    """Order reasons by how much they say: a move for no reason that we know says least."""
    return reason.cause is Cause.MOVES, _ORDER.index(reason.part)


def _key(reason: Reason) -> tuple[Part, Cause, Aim]:
    return reason.part, reason.cause, reason.goal.aim
