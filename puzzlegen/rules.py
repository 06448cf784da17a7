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
class Stage:
    """A step on the stages of budgets: what a search of `nodes` nodes is believed.

    A move whose figures pass their thresholds by `clear` is taken, one that misses them by `hopeless`
    is dropped, and the next stage decides between.
    """

    nodes: int
    clear: float
    hopeless: float


@dataclass(frozen=True)
class Confirmation:
    """A second look: a move whose gap is less than `below` so far must have `gap` with `nodes` nodes."""

    below: float
    nodes: int
    gap: float


@dataclass(frozen=True)
class MiningRules:
    """The thresholds; the defaults are measured, see docs/how-it-works/mining.md."""

    pattern: Pattern = Pattern.BLUNDER_BLUNDER

    # Triples. Both moves of a triple lose at least `drop`, and the position after the blunder is
    # won by at least `won`, which it was not before; a value below -`won` is lost, else drawn.
    drop: float = 0.4
    won: float = 0.3

    # A game without evaluations is scanned with few nodes a position and thresholds relaxed to
    # `scan_share`; a candidate that makes a puzzle is then decided by the full thresholds with more
    # nodes. Of 46 puzzles in 60 games, 5,000 nodes find 44 (10,000: 45; 2,500: 42).
    scan_nodes: int = 5_000
    scan_share: float = 0.6
    decide_nodes: int = 100_000

    # The line. A solver's move must be better than any other by `gap`, and leave the game won by
    # at least `winning`. Puzzles with a gap of `strict_gap` all along are called strict.
    gap: float = 0.5
    strict_gap: float = 0.7
    winning: float = 0.35

    # Few nodes are enough for most moves; the last stage lets near misses through, for confirmation
    # to decide.
    stages: tuple[Stage, ...] = (Stage(25_000, 0.1, 0.15), Stage(100_000, -0.05, 0.05))
    reply_nodes: int = 25_000

    # Where the engine's defence leaves the solver several ways to win, so many others are tried that
    # cost the defender no more than `as_good`.
    other_defences: int = 2
    as_good: float = 0.1

    # The doubtful moves of a complete line are searched again, the most doubtful ones twice. A gap
    # moves by some hundredths with each search. With a third line the engine gives more nodes to other
    # moves: most of what an audit finds is a second move that two lines had not shown.
    confirmations: tuple[Confirmation, ...] = (
        Confirmation(0.95, 300_000, 0.45),
        Confirmation(0.6, 1_000_000, 0.5),
    )
    confirm_lines: int = 3

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
