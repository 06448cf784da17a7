"""The thresholds of the analysis of a player's games, besides those of mining (`puzzlegen.rules`)."""

from __future__ import annotations

from dataclasses import dataclass

from chess_motif import arguments
from puzzlegen.rules import NEVER, LineRules, MiningRules, Pattern, Stage, WinningRules

# The rules of mining for a player's opportunities. The win chances around a turn matter less here, since the
# turn itself is searched again: 20,000 nodes find as many opportunities as 50,000. A doubtful puzzle, which
# would cost a search of a million nodes, may still become an exercise.
FOR_OPPORTUNITIES = MiningRules(
    pattern=Pattern.BLUNDER,
    scan_nodes=5_000,
    scan_share=0.75,
    decide_nodes=20_000,
    confirmation=(Stage(50_000, 0.3, 0.2), Stage(100_000, 0.15, 0.0), Stage(300_000, 0.1, -0.1)),
)


@dataclass(frozen=True)
class ExerciseRules:
    """The thresholds of exercises, besides those of mining. Measured in docs/how-it-works/training.md."""

    # In most positions, it is soon clear whether there is a step between two moves.
    stages: tuple[Stage, ...] = (
        Stage(10_000, NEVER, 0.35),
        Stage(20_000, 0.3, 0.25),
        Stage(40_000, 0.15, 0.2),
        Stage(75_000, 0.1, 0.15),
        Stage(150_000, 0.05, 0.1),
        Stage(300_000, 0.0, 0.0),
    )
    """The search of the position."""
    most_accepted: int = 4
    """How many moves may be accepted."""
    # In a search with other moves, a move gets too few nodes.
    confirmation: tuple[Stage, ...] = (
        Stage(10_000, 0.4, 0.4),
        Stage(25_000, 0.25, 0.25),
        Stage(50_000, 0.15, 0.15),
        Stage(100_000, 0.05, 0.05),
        Stage(150_000, 0.0, 0.0),
    )
    """The search of the position after each accepted move."""

    # A little more than for puzzles, since only one search confirms it.
    winning: float = 0.4
    """The least win chance of accepted moves that win.

    Accepted moves that hold are not lost (`MiningRules.won`), and all other moves are. A move that loses as
    much as a blunder (`MiningRules.drop`) is not good enough.
    """
    margin: float = 0.3
    """How much better the worst accepted move must be than the best other move."""
    most_share: float = 0.34
    """The share of all legal moves that may be accepted: with more, there is nothing to find."""
    most_holding: int = 2
    """How many moves may win no material, or only hold: a choice of more moves is not a tactic."""
    longest_mate: int = 3
    """If other moves win, too, only mates in up to this many moves are accepted."""
    # A puzzle wins more, but in a game a pawn that changes a drawn position to a won one is an opportunity.
    least_gain: int = 1
    """The material, in pawns, that a line without mate must win."""

    # A gain that takes more moves is technique, not a tactic that can be explained.
    line: LineRules = LineRules(nodes=25_000, reply_nodes=15_000, most_moves=4)  # noqa: RUF009 - it is frozen
    """The line that shows why the best move wins."""

    @property
    def lines(self) -> int:
        """The number of variations to search in the position: one more than may be accepted."""
        return self.most_accepted + 1

    def __post_init__(self) -> None:
        arguments.at_least(1, stages=len(self.stages), confirmation=len(self.confirmation))
        arguments.at_least(1, most_accepted=self.most_accepted)
        arguments.within(-1, 1, winning=self.winning)
        arguments.within(0, 2, margin=self.margin)
        arguments.within(0, 1, most_share=self.most_share)


@dataclass(frozen=True)
class DefenceRules:
    """The thresholds of the lines against other defences (`motifsearch.trainer.analysis.defences`)."""

    most: int = 4
    """The most lines; one less against replies to the first move."""
    nodes: int = 40_000
    searched: int = 8
    """The number of replies that are searched for, with `nodes` nodes."""
    most_given_up: int = 2
    """A reply that loses this many pawns on its target square is not a defence."""
    nearly: int = 1
    """By how many pawns less than the solution a line may win and still count as won."""
    answers: int = 3
    """How many answers to each reply are searched for, to choose the plainest."""
    # A line may end as soon as the answer wins, even if the engine promises more.
    line: LineRules = LineRules(  # noqa: RUF009
        nodes=25_000, reply_nodes=15_000, most_moves=3, promised=100.0
    )
    """The limits of a line after a reply."""
    gain: WinningRules = WinningRules(least_gain=1)  # noqa: RUF009
    """When an answer has won."""


@dataclass(frozen=True)
class OpportunityRules:
    """What counts as an opportunity of a player, besides the thresholds of mining and of exercises."""

    # A right move that was played does not count as a tactic found if, by the human-move model, players of
    # the player's rating play it at least this often.
    obvious: float = 0.8

    # A position is searched for a puzzle first, unless the search for an exercise shows a gap that is smaller
    # than that of a puzzle by more than this.
    slack: float = 0.15

    # An opportunity with the same right move as an opportunity at most this many plies before is not new.
    same_within: int = 6

    # The nodes of a search with the opponent to move, which shows the threats.
    threat_nodes: int = 25_000
