"""Every threshold of mining in one place. A run stores the rules it was made with.

Win chances run from -1 to 1 (see `engines.winchance`), budgets are engine nodes a search.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Pattern(StrEnum):
    """What in a game makes a position worth verifying."""

    BLUNDER_BLUNDER = "blunder-blunder"
    """A player blunders and the opponent misses it (Bizjak & Guid, ACG 2021)."""
    BLUNDER = "blunder"
    """A player blunders, whatever the opponent makes of it."""


@dataclass(frozen=True)
class MiningRules:
    """The thresholds; the defaults are measured, see docs/mining.md."""

    pattern: Pattern = Pattern.BLUNDER_BLUNDER

    # Triples. Both moves of a triple lose at least `drop`, and the position after the blunder is
    # won by at least `won`, which it was not before; a value below -`won` is lost, else drawn.
    drop: float = 0.4
    won: float = 0.3

    # A game without evaluations is scanned with few nodes a position and thresholds multiplied by
    # `scan_share`; what is found is then decided by the full thresholds with more nodes.
    scan_nodes: int = 10_000
    scan_share: float = 0.5
    decide_nodes: int = 100_000

    # The line. A solver's move must be better than any other by `gap`, and leave the game won by
    # at least `winning`. Puzzles with a gap of `strict_gap` all along are called strict.
    gap: float = 0.5
    strict_gap: float = 0.7
    winning: float = 0.35
    line_nodes: int = 100_000
    reply_nodes: int = 50_000

    # Where the engine's defence leaves the solver several ways to win, so many others are tried that
    # cost the defender no more than `as_good`.
    other_defences: int = 2
    as_good: float = 0.1

    # A first look with few nodes and a relaxed gap sorts out a third of all candidates, and none of
    # 82 that become puzzles. It does not judge who wins: that takes more nodes.
    screen_nodes: int = 10_000
    screen_gap: float = 0.2

    # Moves whose gap is below `sure_gap` are searched again. Of 185 moves, the larger budget took
    # back 3, all of them with a gap below 0.75.
    sure_gap: float = 0.8
    confirm_nodes: int = 1_000_000

    # Solver's moves: at least two, unless the one move mates and nothing else wins; a line that is
    # still unique after the most is cut there.
    least_moves: int = 2
    most_moves: int = 12

    # What a line without mate must have won when the dust has settled, in pawns: more than one pawn
    # (every one of 1,976 official Lichess puzzles without mate wins two or more).
    least_gain: int = 2

    def as_dict(self) -> dict[str, Any]:
        """Return the rules as plain values for storing."""
        return asdict(self)

    def fingerprint(self) -> str:
        """Return a name that changes when any rule does."""
        return hashlib.sha256(json.dumps(self.as_dict(), sort_keys=True).encode()).hexdigest()[:16]
