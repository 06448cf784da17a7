"""All kinds of facts, those first that say most: how they are found, and when they are told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto

from puzzlegen.reasons.attacks import forked, pins, skewers
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
from puzzlegen.reasons.fact import Course, Fact, Kind
from puzzlegen.reasons.mating import nets
from puzzlegen.reasons.pawns import passed_pawns, unstoppable
from puzzlegen.reasons.replies import flights, other_answers, trapped
from puzzlegen.reasons.threats import last_checks, longer_threats, threats, zugzwang
from puzzlegen.reasons.told import reasons_told

Finder = Callable[[Course], Iterator[Fact]]


class Told(Enum):
    """When a fact is told."""

    # If nothing that says more has said the same.
    FREELY = auto()
    # If nothing else is told yet, except one `BESIDES`.
    ALONE = auto()
    # One of them, after all others: why something else fails is no reason alone.
    BESIDES = auto()


@dataclass(frozen=True)
class Row:
    """A kind of facts: what finds it, and when it is told.

    One fact about an `attack` is enough for a move. Puzzles to train on are alike if they share a kind that
    is `compared`, which says what makes a solution work. Kinds that say how a piece comes to its square, or
    what is saved, are not compared: too many puzzles have them.
    """

    kind: Kind
    find: Finder
    told: Told = Told.FREELY
    attack: bool = False
    compared: bool = False


ROWS = (
    Row(Kind.NET, nets, compared=True),
    Row(Kind.UNSTOPPABLE, unstoppable, attack=True, compared=True),
    Row(Kind.OVERLOADED, overloaded, compared=True),
    Row(Kind.COSTLY_DEFENCE, threats, attack=True, compared=True),
    Row(Kind.MATE_THREAT, threats, attack=True, compared=True),
    Row(Kind.LAST_CHECK, last_checks, compared=True),
    Row(Kind.ZUGZWANG, zugzwang, compared=True),
    Row(Kind.TRAPPED, trapped, attack=True, compared=True),
    Row(Kind.TIED_DOWN, trapped, attack=True),
    Row(Kind.BACKED, backed, attack=True, compared=True),
    Row(Kind.SKEWER, skewers, attack=True),
    Row(Kind.FORK, forked, attack=True),
    Row(Kind.STOPS_MATE, parries),
    Row(Kind.KNIGHT_CHECK, knight_promotions),
    Row(Kind.DEFENDER, reasons_told),
    Row(Kind.SHUT, reasons_told),
    Row(Kind.OPENED, reasons_told),
    Row(Kind.DOUBLE, reasons_told, attack=True),
    Row(Kind.PINNED, pins),
    Row(Kind.THREAT, threats, attack=True, compared=True),
    Row(Kind.MATE_IN_TWO, longer_threats),
    Row(Kind.TIED, tied, compared=True),
    Row(Kind.NOT_AT_ONCE, not_at_once, Told.ALONE),
    Row(Kind.TARGET, reasons_told),
    Row(Kind.ATTACKER, reasons_told, attack=True),
    Row(Kind.ONLY_ANSWER, only_answers),
    Row(Kind.CLEARS, clearances, Told.ALONE),
    Row(Kind.KING_HELD_OFF, king_held_off, compared=True),
    Row(Kind.DRIVEN, driven),
    Row(Kind.FORCED_BLOCK, forced_blocks, compared=True),
    Row(Kind.PASSED, passed_pawns),
    Row(Kind.IN_RETURN, in_return, Told.ALONE),
    Row(Kind.UNDEFENDED, profits, Told.ALONE, compared=True),
    Row(Kind.WORTH_MORE, profits, Told.ALONE, compared=True),
    Row(Kind.OUTNUMBERED, profits, Told.ALONE, compared=True),
    Row(Kind.SAVES, parries, Told.ALONE),
    Row(Kind.FLIGHTS, flights, Told.BESIDES),
    Row(Kind.OTHER_ANSWERS, other_answers, Told.BESIDES),
    Row(Kind.BEFORE_TAKING_BACK, before_taking_back, Told.BESIDES),
)

RANKS = {row.kind: rank for rank, row in enumerate(ROWS)}


def row_of(fact: Fact) -> Row:
    """Return the row of a fact's kind."""
    return ROWS[RANKS[fact.kind]]
