"""All kinds of facts, the most important first: how they are found, and when they are told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto

from puzzlegen.reasons.captures import (
    backed,
    forced_blocks,
    in_return,
    king_held_off,
    not_at_once,
    overloaded,
    profits,
    tied,
)
from puzzlegen.reasons.checks import before_taking_back, clearances, driven, knight_promotions
from puzzlegen.reasons.defence import only_answers, parries
from puzzlegen.reasons.fact import Course, Fact, FactKind
from puzzlegen.reasons.forks_and_pins import forked, pins, skewers
from puzzlegen.reasons.mating import nets
from puzzlegen.reasons.pawns import passed_pawns, unstoppable
from puzzlegen.reasons.replies import flights, other_answers, trapped
from puzzlegen.reasons.roles import reasons_told
from puzzlegen.reasons.threats import last_checks, longer_threats, threats, zugzwang

Finder = Callable[[Course], Iterator[Fact]]


class Told(Enum):
    """When a fact is told."""

    # Unless a more important fact has said the same.
    FREELY = auto()
    # Only if nothing else is told, except one `BESIDES`.
    ALONE = auto()
    # At most one, after all others: that something else fails is not a reason on its own.
    BESIDES = auto()


@dataclass(frozen=True)
class Row:
    """A kind of facts: its finder, and when it is told.

    At most one fact about an `attack` is told of a move. Puzzles to train on count as alike if they share a
    kind that is `compared`. Kinds that say how a piece comes to its square, or what is saved, are not
    compared, because too many puzzles have them.
    """

    kind: FactKind
    find: Finder
    told: Told = Told.FREELY
    attack: bool = False
    compared: bool = False


ROWS = (
    Row(FactKind.NET, nets, compared=True),
    Row(FactKind.UNSTOPPABLE, unstoppable, attack=True, compared=True),
    Row(FactKind.OVERLOADED, overloaded, compared=True),
    Row(FactKind.COSTLY_DEFENCE, threats, attack=True, compared=True),
    Row(FactKind.MATE_THREAT, threats, attack=True, compared=True),
    Row(FactKind.LAST_CHECK, last_checks, compared=True),
    Row(FactKind.ZUGZWANG, zugzwang, compared=True),
    Row(FactKind.TRAPPED, trapped, attack=True, compared=True),
    Row(FactKind.TIED_DOWN, trapped, attack=True),
    Row(FactKind.BACKED, backed, attack=True, compared=True),
    Row(FactKind.SKEWER, skewers, attack=True),
    Row(FactKind.FORK, forked, attack=True),
    Row(FactKind.STOPS_MATE, parries),
    Row(FactKind.KNIGHT_CHECK, knight_promotions),
    Row(FactKind.DEFENDER, reasons_told),
    Row(FactKind.SHUT, reasons_told),
    Row(FactKind.OPENED, reasons_told),
    Row(FactKind.DOUBLE, reasons_told, attack=True),
    Row(FactKind.PINNED, pins),
    Row(FactKind.THREAT, threats, attack=True, compared=True),
    Row(FactKind.MATE_IN_TWO, longer_threats),
    Row(FactKind.TIED, tied, compared=True),
    Row(FactKind.NOT_AT_ONCE, not_at_once, Told.ALONE),
    Row(FactKind.TARGET, reasons_told),
    Row(FactKind.ATTACKER, reasons_told, attack=True),
    Row(FactKind.ONLY_ANSWER, only_answers),
    Row(FactKind.CLEARS, clearances, Told.ALONE),
    Row(FactKind.KING_HELD_OFF, king_held_off, compared=True),
    Row(FactKind.DRIVEN, driven),
    Row(FactKind.FORCED_BLOCK, forced_blocks, compared=True),
    Row(FactKind.PASSED, passed_pawns),
    Row(FactKind.IN_RETURN, in_return, Told.ALONE),
    Row(FactKind.UNDEFENDED, profits, Told.ALONE, compared=True),
    Row(FactKind.WORTH_MORE, profits, Told.ALONE, compared=True),
    Row(FactKind.OUTNUMBERED, profits, Told.ALONE, compared=True),
    Row(FactKind.SAVES, parries, Told.ALONE),
    Row(FactKind.FLIGHTS, flights, Told.BESIDES),
    Row(FactKind.OTHER_ANSWERS, other_answers, Told.BESIDES),
    Row(FactKind.BEFORE_TAKING_BACK, before_taking_back, Told.BESIDES),
)

RANKS = {row.kind: rank for rank, row in enumerate(ROWS)}


def row_of(fact: Fact) -> Row:
    """Return the row of a fact's kind."""
    return ROWS[RANKS[fact.kind]]
