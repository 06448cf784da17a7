"""Every threshold of mining in one place. Each mining run is stored with its rules.

Win chances run from -1 to 1 (see `engines.winchance`); budgets are engine nodes per search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from chess_motif import arguments
from chess_motif.captures import MATED


class Pattern(StrEnum):
    """Which moves of a game make a position a candidate for a puzzle."""

    BLUNDER_BLUNDER = "blunder-blunder"
    """A player blunders and the opponent misses it (Bizjak & Guid, ACG 2021)."""
    BLUNDER = "blunder"
    """A player blunders, whatever the reply."""


# More than a move can exceed a threshold by.
NEVER = 2.0


@dataclass(frozen=True)
class Stage:
    """The margins (in win chance) within which a search is not trusted from `nodes` nodes on.

    A move that exceeds both thresholds by `clear` is accepted, one whose gap is too small by `hopeless` is
    rejected, and the search ends; otherwise it goes on. The last stage is its budget, and decides.
    """

    nodes: int
    clear: float
    hopeless: float

    def __post_init__(self) -> None:
        arguments.at_least(1, nodes=self.nodes)


@dataclass(frozen=True)
class WinningRules:
    """When a line has won, or only holds."""

    won: float = 0.3
    """A win chance counts as won from here up, as lost from -`won` down, and as drawn in between."""
    winning: float = 0.35
    """The least win chance of a solver's move."""
    as_good: float = 0.1
    """How much win chance a move may cost that is about as good as the best."""
    # Each of 1,976 Lichess puzzles without mate wins two pawns or more.
    least_gain: int = 2
    """Material that a line without mate must win after all captures, in pawns."""

    def __post_init__(self) -> None:
        """Raise `InputError` for values that cannot be."""
        arguments.within(-1, 1, won=self.won, winning=self.winning)

    @property
    def holding(self) -> Self:
        """The rules for what only holds: it must not be lost, and win nothing."""
        return replace(self, winning=-self.won, least_gain=-MATED)


@dataclass(frozen=True)
class MiningRules(WinningRules):
    """The thresholds of mining. How the defaults were measured: docs/how-it-works/mining.md.

    The position after a blunder is `won`, and the one before it was not.
    """

    pattern: Pattern = Pattern.BLUNDER_BLUNDER

    drop: float = 0.4
    """What each of the two moves of a triple loses at least (Bizjak & Guid)."""

    # Of 170 lines in 200 games, 2,500 nodes find 163 (5,000: 165; 1,000: 157). What is no candidate by more
    # nodes costs little: most searches for the only winning move end early.
    scan_nodes: int = 2_500
    """Nodes for each position of a game without evaluations."""
    scan_share: float = 0.6
    """What the thresholds are multiplied by for such a game."""
    decide_nodes: int = 50_000
    """Nodes that decide whether a candidate of such a game passes the full thresholds."""

    gap: float = 0.5
    """How much better than any other a solver's move must be."""
    strict_gap: float = 0.7
    """Puzzles with at least this gap at every move are called strict."""

    # Few nodes are enough for most moves. The last stage lets near misses pass: the confirmation decides.
    stages: tuple[Stage, ...] = (
        Stage(5_000, NEVER, 0.35),
        Stage(10_000, NEVER, 0.25),
        Stage(15_000, 0.15, 0.2),
        Stage(25_000, 0.05, 0.15),
        Stage(50_000, 0.0, 0.1),
        Stage(80_000, -0.05, 0.05),
    )
    """The search for each solver's move."""
    reply_nodes: int = 25_000
    """Nodes for a reply of the defender, where the search for the solver's move shows none."""

    other_defences: int = 2
    """How many other defences are tried, if the engine's leaves the solver several ways to win."""

    # A gap changes by some hundredths from one search to another, and while a search goes on.
    confirm_below: float = 0.95
    """The moves of a complete solution with a smaller gap are confirmed by another search."""
    confirmation: tuple[Stage, ...] = (
        Stage(25_000, 0.45, 0.3),
        Stage(50_000, 0.3, 0.2),
        Stage(100_000, 0.2, 0.1),
        Stage(200_000, 0.13, 0.05),
        Stage(300_000, 0.1, 0.02),
        Stage(1_000_000, 0.0, 0.0),
    )
    """That search."""

    # With a third variation the engine spends more nodes on other moves: most faults found by an audit are a
    # second move that two did not show.
    lines: int = 3
    """The variations of all these searches."""

    least_moves: int = 2
    """The least number of solver's moves, unless a single move mates and nothing else wins."""
    most_moves: int = 12
    """A solution whose moves are still unique after so many solver's moves is cut there."""

    @property
    def decision(self) -> tuple[Stage, ...]:
        """The search by which the position before a blunder, or after the reply to it, is not won."""
        nodes = self.decide_nodes
        return (
            Stage(max(1, nodes // 5), 0.3, 0.3),
            Stage(max(1, nodes // 2), 0.15, 0.15),
            Stage(nodes, 0.0, 0.0),
        )

    def __post_init__(self) -> None:
        """Raise `InputError` for values that cannot be."""
        super().__post_init__()
        object.__setattr__(self, "pattern", arguments.one_of(Pattern, pattern=self.pattern))
        arguments.within(0, 2, drop=self.drop, gap=self.gap, strict_gap=self.strict_gap)
        arguments.at_least(
            1, scan_nodes=self.scan_nodes, decide_nodes=self.decide_nodes, reply_nodes=self.reply_nodes
        )
        arguments.at_least(1, most_moves=self.most_moves, stages=len(self.stages))
        arguments.at_least(1, lines=self.lines, confirmation=len(self.confirmation))


@dataclass(frozen=True)
class LineRules:
    """The thresholds of a line that is followed until it has won (`puzzlegen.verify.won_line`)."""

    nodes: int = 50_000
    """Nodes for each move of the solver."""
    reply_nodes: int = 25_000
    """Nodes for each reply."""
    most_moves: int = 12
    """The most moves of the solver before something is won, or mate is near."""

    # The searches of the line see less than that of the position.
    margin: float = 0.15
    """The line is given up where the solver's win chance is so much below that of a won position.

    At its end it must be won.
    """

    least_more: int = 2
    """Once material is won, the line goes on if the next move wins so many pawns more."""
    soon: int = 3
    """Mate is near if it is at most so many moves away: then it also goes on."""
    # Such as a quiet move after a capture with check, which wins the queen.
    promised: float = 3.0
    """If the engine's score is so many pawns above the material, it goes on for `soon` moves to show why."""

    most_avoided: int = 12
    """How many moves are avoided because they lead back to an earlier position, before the line ends."""

    def __post_init__(self) -> None:
        arguments.at_least(1, nodes=self.nodes, reply_nodes=self.reply_nodes, most_moves=self.most_moves)
        arguments.within(0, 2, margin=self.margin)


@dataclass(frozen=True)
class IdeaRules:
    """The thresholds of the idea of a position (`puzzlegen.verify.idea`), besides those of mining."""

    # Two searches of the position: for the best move, and for several that may be as good.
    nodes: int = 300_000
    most_compared: int = 4

    line: LineRules = LineRules()
    # Where all moves that are compared win, a gain that takes longer is technique and not a tactic.
    most_moves_if_all_win: int = 4
