"""Scores of any engine as win chances on one scale.

A win chance runs from -1 (lost) through 0 (even) to 1 (won). It is a logistic function of centipawns,
fitted by Lichess to games between people (k = 0.00368208, https://lichess.org/page/accuracy); mates are -1
and 1. The fit is for the centipawns of Stockfish up to version 15, which are also those of the
`[%eval]` comments in Lichess games.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chess.engine import Score

# The fitted slope, per centipawn.
SLOPE = 0.00368208

# Larger centipawn values count as this; their win chance is practically 1.
MOST_CENTIPAWNS = 10_000.0

# Win chances beyond this count as this when they are converted to centipawns, of which it is 2,690.
SUREST = 0.9999

# Centipawns that stand for a mate, minus its distance in moves.
MATE = 1_000_000

# Since version 15.1 Stockfish divides its internal value by 361 per pawn instead of 208, so that an
# advantage of one pawn means an even chance to win between engines. We undo that. Later versions keep the
# meaning by changing the divisor: 15.1, 16, 17.1 and 18 give the same 400 positions the same centipawns
# within 6 % (median). Other engines that show win rates (UCI_ShowWDL) have adopted the scale.
NORMALISED_SINCE = (15, 1)
NORMALISATION = 361 / 208

# Development builds have a date instead of a version: `dev-20250101`, `220622`.
_STOCKFISH = re.compile(r"Stockfish (?:(\d{1,2})(?:\.(\d+))?\b|dev|\d{6,8}\b)", re.IGNORECASE)


def centipawn_scale(engine_name: str, *, shows_wdl: bool = False) -> float:
    """Return the factor that converts an engine's centipawns to the scale of the fit.

    `engine_name` is the engine's own name (`id name`). For engines other than Stockfish, `shows_wdl` decides:
    whether the engine has the option UCI_ShowWDL.
    """
    match = _STOCKFISH.match(engine_name)
    if match is None:
        return NORMALISATION if shows_wdl else 1.0
    major, minor = match.groups()
    version = (int(major), int(minor or 0)) if major else NORMALISED_SINCE
    return NORMALISATION if version >= NORMALISED_SINCE else 1.0


def win_chance(score: Score, scale: float = 1.0) -> float:
    """Return the win chance (-1…1) for a score, its centipawns multiplied by `scale`.

    See `centipawn_scale`.
    """
    centipawns = score.score()
    if centipawns is None:
        return 1.0 if score.score(mate_score=MATE) > 0 else -1.0
    return win_chance_of_centipawns(centipawns * scale)


def win_chance_of_centipawns(centipawns: float) -> float:
    """Return the win chance (-1…1) of a side that is `centipawns` ahead."""
    limited = max(-MOST_CENTIPAWNS, min(MOST_CENTIPAWNS, centipawns))
    return 2 / (1 + math.exp(-SLOPE * limited)) - 1


def centipawns_of_win_chance(chance: float) -> float:
    """Return the centipawns that mean a win chance (-1…1): the inverse of `win_chance_of_centipawns`."""
    limited = max(-SUREST, min(SUREST, chance))
    return math.log((1 + limited) / (1 - limited)) / SLOPE
