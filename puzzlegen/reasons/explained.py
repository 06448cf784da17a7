"""Why a solution works, in sentences and drawings; for a search result, the reasons shared with the query.

The most important facts are told, one of them about the first move, and nothing twice. Facts are chosen by
their values, and put into words last.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import chess

from chess_motif.material import Capture
from db.models import Puzzle
from puzzlegen.motifs.worth import deciding_ply, net_gain
from puzzlegen.reasons.fact import (
    Course,
    Drawing,
    Fact,
    FactKind,
    Joint,
    Relation,
    TooManyPositionsError,
    Verb,
)
from puzzlegen.reasons.goal import Aim
from puzzlegen.reasons.reason import Cause, Part
from puzzlegen.reasons.replies import against_others, deviation
from puzzlegen.reasons.table import RANKS, ROWS, Told, row_of
from puzzlegen.reasons.tactics import Tactics
from puzzlegen.reasons.words import sentence

# The most sentences for one solution, so that its board remains readable.
MOST = 3

# The most facts about one move in a sentence.
_MOST_EFFECTS = 2

# Causes that most solutions have, whatever their idea.
_USUAL = {
    *(Cause.STANDS, Cause.MOVES),
    *(Cause.COMES, Cause.COMES_CAPTURING, Cause.COMES_CHECKING, Cause.COMES_CAPTURING_CHECKING),
    *(Cause.CHECK, Cause.ONE, Cause.NONE),
}


@dataclass(frozen=True)
class ExplainedReason:
    """A sentence that says why a solution works, and its drawing, if any."""

    sentence: str
    drawing: Drawing | None


def reasons_of(puzzle: Puzzle) -> list[str]:
    """Return sentences that say why the solution of a stored puzzle works; empty if no fact is known."""
    return [reason.sentence for reason in SolutionReasons.of(puzzle).explained()]


def reasons_of_line(
    position: chess.Board, moves: Sequence[chess.Move], capture_before: Capture | None = None
) -> list[str]:
    """Return sentences that say why legal moves work for the side to move, which also moves last.

    `capture_before` is the capture by the opponent's last move, None if there was none or it is not known.
    """
    reasons = SolutionReasons(Tactics(position, moves, capture_before))
    return [reason.sentence for reason in reasons.explained()]


def facts_of(tactics: Tactics, kinds: Collection[FactKind] = frozenset(FactKind)) -> list[Fact]:
    """Return the facts of these kinds about a solution, only the first of each kind that needs a search.

    A finder that runs out of its budget returns what it has found until then.
    """
    course, found = Course(tactics), list[Fact]()
    for find in dict.fromkeys(row.find for row in ROWS if row.kind in kinds):
        course.renew_budget()
        with suppress(TooManyPositionsError):
            for fact in find(course):
                is_first = fact.reason or all(fact.kind is not other.kind for other in found)
                if fact.kind in kinds and is_first:
                    found.append(fact)
    return found


class SolutionReasons:
    """The facts about one solution, and the sentences made of them."""

    def __init__(self, tactics: Tactics, other_defences: Sequence[Sequence[chess.Move]] = ()) -> None:
        """Find the facts about a solution.

        `other_defences` are lines that begin after the first move, and leave the solution at a reply.
        """
        self._tactics, self._replay = tactics, tactics.replay
        # Each with the ply at which it leaves the solution. A line that ends with the reply is left out.
        numbered = ((deviation(self._replay, line), line) for line in other_defences)
        self._other_defences = [(number, line) for number, line in numbered if number < len(line)]

    @classmethod
    def of(cls, puzzle: Puzzle) -> SolutionReasons:
        """Find the facts about a stored puzzle. Raises `StoreError` if it is damaged."""
        return cls(Tactics.of(puzzle), puzzle.other_defence_lines())

    @cached_property
    def _deciding_ply(self) -> int:
        """The number of the ply that wins most; beyond the last one if the solution mates or wins nothing."""
        decides = deciding_ply(self._replay)
        wins = not self._replay.mates and net_gain(decides, self._replay) > 0
        return decides.number if wins else len(self._replay.plies)

    @cached_property
    def _facts(self) -> list[Fact]:
        found = facts_of(self._tactics)
        return [fact for fact in found if not self._is_refuted(fact)]

    def _is_refuted(self, fact: Fact) -> bool:
        """Return whether a line against another defence contradicts a fact's answer to the same reply."""
        return any(
            number == fact.ply + 1 and fact.answers.get(line[number - 1], line[number]) != line[number]
            for number, line in self._other_defences
        )

    @cached_property
    def _told(self) -> list[Fact]:
        return self._chosen(self._facts)

    def explained(self) -> tuple[ExplainedReason, ...]:
        """Return the most important sentences, at most `MOST`, in the order of the moves.

        One more sentence is about the other defences that no fact answers.
        """
        said = self._said(self._told)
        others = [each for each in self._other_defences if not self._is_told(*each)]
        if not others:
            return said
        return (*said, ExplainedReason(against_others(Course(self._tactics), others), None))

    @cached_property
    def answers(self) -> Mapping[int, Mapping[chess.Move, chess.Move]]:
        """The replies outside the solution that the told facts answer, by ply: replies with their answers."""
        return {fact.ply + 1: fact.answers for fact in self._told if fact.answers}

    def _is_told(self, number: int, line: Sequence[chess.Move]) -> bool:
        """Return whether the told facts already cover a line against another defence."""
        reply, answer = line[number - 1 : number + 1]
        if reply:
            return reply in self.answers.get(number, ())
        of_first = {relation for fact in self._told if fact.ply == 0 for relation in fact.relations}
        return any(Relation(verb, answer.to_square) in of_first for verb in (Verb.ATTACKED, Verb.MATE))

    def explained_like(self, query: SolutionReasons) -> tuple[ExplainedReason, ...]:
        """Return the sentences for the facts that this solution shares with a query."""
        # Facts about replies outside the solution are not compared.
        keys = {fact.key for fact in query._facts if not fact.answers}
        # Finding only these kinds is faster: most solutions have one or two.
        kinds = {FactKind(kind) for kind, *_ in keys}
        found = facts_of(self._tactics, kinds)
        return self._said(self._chosen(fact for fact in found if fact.key in keys))

    def shares_win(self, other: SolutionReasons) -> bool:
        """Return whether two solutions win for the same reason. Reasons of most solutions do not count."""
        return not self._keys_of_wins().isdisjoint(other._keys_of_wins())

    def _keys_of_wins(self) -> set[tuple[Part, Cause, Aim]]:
        return {
            (reason.part, reason.cause, reason.goal.aim)
            for reason in self._tactics.reasons.found
            if reason.goal.aim is not Aim.CHECK and reason.cause not in _USUAL
        }

    def _chosen(self, facts: Iterable[Fact]) -> list[Fact]:
        """Return the chosen facts: one about the first move, the most important ones, and one `BESIDES`."""
        ranked = sorted(facts, key=lambda fact: RANKS[fact.kind])
        besides = [fact for fact in ranked if row_of(fact).told is Told.BESIDES]
        others = [fact for fact in ranked if fact not in besides]
        if first := [fact for fact in others if fact.ply <= 0][:1]:
            # Moves after the win are not mentioned.
            others = first + [fact for fact in others if fact.ply <= self._deciding_ply]
        chosen: list[Fact] = []
        for most, candidates in ((MOST - bool(besides), others), (MOST, besides + others)):
            for fact in candidates:
                if self._adds(fact, chosen, most):
                    chosen.append(fact)
        return chosen

    def _adds(self, fact: Fact, chosen: Sequence[Fact], most: int) -> bool:
        """Return whether a fact says something new, and there is room for another fact."""
        row, same_move = row_of(fact), [other for other in chosen if other.ply == fact.ply]
        if any((row.attack and row_of(other).attack) or other.kind is fact.kind for other in same_move):
            return False
        told = {row_of(other).told for other in chosen}
        if row.told in told - {Told.FREELY} or (row.told is Told.ALONE and Told.FREELY in told):
            return False
        if _repeats(fact, chosen):
            return False
        named = [other for other in same_move if other.joint is not Joint.ALONE]
        joins = fact.joint is not Joint.ALONE and named
        return len(named) < _MOST_EFFECTS if joins else len(self._grouped(chosen)) < most

    def _grouped(self, facts: Iterable[Fact]) -> list[list[Fact]]:
        """Return facts grouped by sentence, in the order of the moves: one sentence for those on a move."""

        def sentence_of(fact: Fact) -> tuple[object, ...]:
            return (fact.ply, RANKS[fact.kind]) if fact.joint is Joint.ALONE else (fact.ply,)

        return [list(group) for _, group in groupby(sorted(facts, key=sentence_of), key=sentence_of)]

    def _said(self, facts: Iterable[Fact]) -> tuple[ExplainedReason, ...]:
        return tuple(
            ExplainedReason(
                sentence(group, self._replay), next((one.drawing for one in group if one.drawing), None)
            )
            for group in self._grouped(facts)
        )


def _repeats(fact: Fact, chosen: Iterable[Fact]) -> bool:
    """Return whether the `chosen` facts already tell all relations of a fact.

    Only chosen facts about the same move or its reply count, except that a pin is told only once. The
    relation that a piece cannot go away counts only if the fact has no other relation.
    """
    related = {one for one in fact.relations if one.verb is not Verb.HELD} or fact.relations
    told = {
        one
        for other in chosen
        for one in other.relations
        if other.ply // 2 == fact.ply // 2 or one.verb is Verb.PINNED
    }
    return bool(related) and related <= told
