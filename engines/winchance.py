"""Scores of any engine as win chances on one scale.

A win chance runs from -1 (lost) over 0 (even) to 1 (won). It is a logistic of centipawns, fitted by
Lichess on games between people (k = 0.00368208, https://lichess.org/page/accuracy); mates are -1
and 1. The fit belongs to the centipawns of Stockfish up to version 15, which are also those of the
`[%eval]` comments in Lichess games.
"""

from __future__ import annotations

import math
import re

from chess.engine import Cp, Score

# The fitted slope, per centipawn.
SLOPE = 0.00368208

# Since version 15.1 Stockfish divides its internal value by 361 instead of 208 a pawn, so that one
# pawn means an even chance to win between engines. Undo it. Later versions keep that meaning by
# changing the divisor: searched with 15.1, 16, 17.1 and 18, the same 400 positions get the same
# centipawns within 6 % (median). Other engines that show win rates (UCI_ShowWDL) have adopted it.
NORMALISED_SINCE = (15, 1)
NORMALISATION = 361 / 208

# Development builds have a date instead of a version: `dev-20250101`, `220622`.
_STOCKFISH = re.compile(r"Stockfish (?:(\d{1,2})(?:\.(\d+))?\b|dev|\d{6,8}\b)", re.IGNORECASE)


def centipawn_scale(engine_name: str, *, shows_wdl: bool = False) -> float:
    """Return the factor that brings an engine's centipawns to the scale of the logistic.

    `engine_name` is what the engine calls itself (`id name`); `shows_wdl` whether it has the option
    UCI_ShowWDL, which decides if the engine is not Stockfish.
    """
    found = _STOCKFISH.match(engine_name)
    if found is None:
        return NORMALISATION if shows_wdl else 1.0
    major, minor = found.groups()
    version = (int(major), int(minor or 0)) if major else NORMALISED_SINCE
    return NORMALISATION if version >= NORMALISED_SINCE else 1.0


def win_chance(score: Score, scale: float = 1.0) -> float:
    """Return the win chance (-1…1) of the side whose score it is.

    `scale` multiplies centipawns first, see `centipawn_scale`.
    """
    centipawns = score.score()
    if centipawns is None:
        return 1.0 if score > Cp(0) else -1.0
    return win_chance_of_centipawns(centipawns * scale)


def win_chance_of_centipawns(centipawns: float) -> float:
    """Return the win chance (-1…1) of a side that is `centipawns` ahead."""
    return 2 / (1 + math.exp(-SLOPE * max(-10_000.0, min(10_000.0, centipawns)))) - 1
