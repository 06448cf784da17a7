"""Blunder–blunder triples: where a player blunders and the opponent gives it back.

Bizjak & Guid (ACG 2021): three evaluations in a row, before a move, after it, and after the reply,
where both moves lose much and each changes the theoretical value (won, drawn, lost).
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

    `reply` is None where the game ended with the blunder.
    """

    ply: int
    before: float
    after: float
    reply: float | None


def find_triples(
    chances: Sequence[float | None], first: chess.Color, rules: MiningRules, share: float = 1.0
) -> list[Triple]:
    """Return the triples of a game in order, by the pattern and thresholds of `rules`.

    `chances[i]` is White's win chance after i plies, `first` who moves first; `share` as in `is_triple`.
    """
    found = []
    for ply in range(len(chances) - 1):
        before, after = chances[ply], chances[ply + 1]
        if before is None or after is None:
            continue
        sign = 1 if (ply % 2 == 1) == (first == chess.WHITE) else -1
        reply = chances[ply + 2] if ply + 2 < len(chances) else None
        triple = Triple(ply, sign * before, sign * after, None if reply is None else sign * reply)
        if is_triple(triple, rules, share):
            found.append(triple)
    return found


def is_triple(triple: Triple, rules: MiningRules, share: float = 1.0) -> bool:
    """Tell whether the evaluations make a triple of the pattern that `rules` ask for.

    A `share` below 1 allows for evaluations by few nodes: smaller drops, wins that do not look so yet,
    and positions that look won already and are not.
    """
    reply = math.nan if triple.reply is None else triple.reply
    return bool(fits_pattern(triple.before, triple.after, reply, rules, share))


def fits_pattern(before: C, after: C, reply: C, rules: MiningRules, share: float = 1.0) -> Any:
    """Tell what `is_triple` does of three win chances from the solver's side, or of each of three arrays.

    One that is not there is not a number.
    """
    drop, won, not_won = rules.drop * share, rules.won * share, rules.won * (2 - share)
    blundered = (after - before >= drop) & (before < not_won) & (after >= won)
    if rules.pattern is Pattern.BLUNDER:
        return blundered
    return blundered & (after - reply >= drop) & (reply < not_won)
