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


# A margin that no move can exceed a threshold by.
NEVER = 2.0


@dataclass(frozen=True)
class Stage:
    """The margins (in win chance) by which a search may end early, from `nodes` nodes on.

    The search ends if a move exceeds both thresholds by `clear` and is accepted, or if its gap is too small
    by `hopeless` and it is rejected. The nodes of the last stage are the budget, after which the search ends.
    """

    nodes: int
    clear: float
    hopeless: float

    def __post_init__(self) -> None:
        arguments.at_least(1, nodes=self.nodes)


@dataclass(frozen=True)
class WinningRules:
    """The thresholds of a line that wins, or that only holds."""

    won: float = 0.3
    """A position is won from this win chance up, lost from -`won` down, and drawn in between."""
    winning: float = 0.35
    """The least win chance of a solver's move."""
    as_good: float = 0.1
    """A move that costs at most so much win chance is about as good as the best move."""
    # Each of 1,976 Lichess puzzles without mate wins two pawns or more.
    least_gain: int = 2
    """Material that a line without mate must win after all captures, in pawns."""

    def __post_init__(self) -> None:
        """Raise `InputError` for impossible values."""
        arguments.within(-1, 1, won=self.won, winning=self.winning)

    @property
    def holding(self) -> Self:
        """The rules for a line that only holds: it need not win anything, but must not lose."""
        return replace(self, winning=-self.won, least_gain=-MATED)


@dataclass(frozen=True)
class MiningRules(WinningRules):
    """The thresholds of mining. How the defaults were measured: docs/how-it-works/mining.md.

    The position after a blunder must be `won`, and the position before the blunder not.
    """

    pattern: Pattern = Pattern.BLUNDER_BLUNDER

    drop: float = 0.4
    """The least loss by each of the two moves of a triple (Bizjak & Guid)."""

    # Of 170 lines in 200 games, 2,500 nodes find 163 (5,000: 165; 1,000: 157). A false candidate costs
    # little: most searches for the only winning move end early.
    scan_nodes: int = 2_500
    """Nodes for each position of a game without evaluations."""
    scan_share: float = 0.6
    """The factor for the thresholds of such a game."""
    decide_nodes: int = 50_000
    """Nodes to decide whether a candidate of such a game passes the full thresholds."""

    gap: float = 0.5
    """How much better than any other move a solver's move must be."""
    strict_gap: float = 0.7
    """Puzzles with at least this gap at every move are called strict."""

    # Few nodes are enough for most moves. The last stage lets near misses pass; the confirmation decides.
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
    """Moves with a smaller gap are confirmed by another search once the solution is complete."""
    confirmation: tuple[Stage, ...] = (
        Stage(25_000, 0.45, 0.3),
        Stage(50_000, 0.3, 0.2),
        Stage(100_000, 0.2, 0.1),
        Stage(200_000, 0.13, 0.05),
        Stage(300_000, 0.1, 0.02),
        Stage(1_000_000, 0.0, 0.0),
    )
    """The search that confirms a move."""

    # With a third variation the engine spends more nodes on other moves: most faults that audits find are a
    # second good move, which a search with two variations has missed.
    lines: int = 3
    """The variations of all these searches."""

    least_moves: int = 2
    """The least number of solver moves, unless a single move mates and nothing else wins."""
    most_moves: int = 12
    """A solution whose moves are still unique after this many solver moves is cut there."""

    @property
    def decision(self) -> tuple[Stage, ...]:
        """The search that decides whether the position before a blunder, or after the reply, is won."""
        nodes = self.decide_nodes
        return (
            Stage(max(1, nodes // 5), 0.3, 0.3),
            Stage(max(1, nodes // 2), 0.15, 0.15),
            Stage(nodes, 0.0, 0.0),
        )

    def __post_init__(self) -> None:
        """Raise `InputError` for impossible values."""
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

    # The searches of the line have fewer nodes than the search of the position.
    margin: float = 0.15
    """The line is given up if the solver's win chance falls so far below that of a winning move.

    At its end, the line must win without this margin.
    """

    least_more: int = 2
    """Once material is won, the line goes on if the next move wins this many pawns more."""
    soon: int = 3
    """The line also goes on if mate is at most this many moves away."""
    # Such as a quiet move after a capture with check, which wins the queen.
    promised: float = 3.0
    """If the engine's score is this many pawns above the material, the line goes on for `soon` more moves."""

    most_avoided: int = 12
    """The line ends after this many moves were avoided because they lead back to an earlier position."""

    def __post_init__(self) -> None:
        arguments.at_least(1, nodes=self.nodes, reply_nodes=self.reply_nodes, most_moves=self.most_moves)
        arguments.within(0, 2, margin=self.margin)


@dataclass(frozen=True)
class IdeaRules:
    """The thresholds of `puzzlegen.verify.idea`, besides those of mining."""

    # Two searches of the position: for the best move, and for several that may be as good.
    nodes: int = 300_000
    most_compared: int = 4

    line: LineRules = LineRules()
    # If all compared moves win, a gain that takes longer is technique and not a tactic.
    most_moves_if_all_win: int = 4
