"""Blunder–blunder triples: a player blunders, and the opponent blunders in reply.

Bizjak & Guid (ACG 2021): three consecutive evaluations, before a move, after it and after the reply, where
both moves lose much and each changes the theoretical value (won, drawn, lost).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import chess

from puzzlegen.rules import MiningRules, Pattern

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

C = TypeVar("C", float, "NDArray[np.float64]")


@dataclass(frozen=True)
class Triple:
    """A blunder after `ply` plies of a game, with win chances (-1…1) from the solver's side.

    They are those `before` the blunder, `after` it, and after the `reply`, which is None if there is none.
    """

    ply: int
    before: float
    after: float
    reply: float | None


def find_triples(
    chances: Sequence[float | None], first: chess.Color, rules: MiningRules, share: float = 1.0
) -> list[Triple]:
    """Return the triples of a game in order, by the pattern and thresholds of `rules`.

    `chances[i]` is White's win chance (-1…1) after i plies, None if it is not known; `first` is the side
    that moves first; `share` is as in `is_triple`.
    """
    triples = []
    for ply in range(len(chances) - 1):
        before, after = chances[ply], chances[ply + 1]
        if before is None or after is None:
            continue
        sign = 1 if (ply % 2 == 1) == (first == chess.WHITE) else -1
        reply = chances[ply + 2] if ply + 2 < len(chances) else None
        triple = Triple(ply, sign * before, sign * after, None if reply is None else sign * reply)
        if is_triple(triple, rules, share):
            triples.append(triple)
    return triples


def is_triple(triple: Triple, rules: MiningRules, share: float = 1.0) -> bool:
    """Return whether the evaluations fit the pattern and thresholds of `rules`.

    A `share` below 1 relaxes the thresholds for searches of few nodes: drops may be smaller, won positions
    may look less won, and positions that are not won may look more so.
    """
    reply = math.nan if triple.reply is None else triple.reply
    return bool(fits_pattern(triple.before, triple.after, reply, rules, share))


def fits_pattern(before: C, after: C, reply: C, rules: MiningRules, share: float = 1.0) -> Any:
    """Return the same as `is_triple`, for three win chances or, element by element, for three arrays of them.

    A win chance that is not known is NaN.
    """
    drop, won, not_won = rules.drop * share, rules.won * share, rules.won * (2 - share)
    blundered = (after - before >= drop) & (before < not_won) & (after >= won)
    if rules.pattern is Pattern.BLUNDER:
        return blundered
    return blundered & (after - reply >= drop) & (reply < not_won)
