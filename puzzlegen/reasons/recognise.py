"""All rules, and the reasons that they find."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from puzzlegen.motifs.defences import total_gain
from puzzlegen.motifs.recognise import TACTICS
from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.attackers import attacker_comes, threats
from puzzlegen.reasons.defenders import defenders_gone, defenders_pinned
from puzzlegen.reasons.goal import Aim, Goal, decisive, goals_of
from puzzlegen.reasons.pieces import Pieces
from puzzlegen.reasons.reason import Reason
from puzzlegen.reasons.targets import escapes_taken, target_moved, target_pinned

RULES: tuple[Callable[[Replay, Pieces, Goal], Iterator[Reason]], ...] = (
    defenders_gone, defenders_pinned, target_moved, target_pinned, escapes_taken, attacker_comes, threats,
)  # fmt: skip


@dataclass(frozen=True)
class Reasons:
    """The goals of a solution, the one that decides (None if there is no goal), and the reasons for all.

    `pieces` says where each piece is during the solution.
    """

    pieces: Pieces
    goals: Sequence[Goal]
    decisive: Goal | None
    found: Sequence[Reason]

    @classmethod
    def of(cls, replay: Replay) -> Self:
        """Find the reasons of a solution, in the order of the goals and of the rules."""
        goals, pieces = goals_of(replay), Pieces(replay)
        found = [reason for goal in goals for rule in RULES for reason in rule(replay, pieces, goal)]
        return cls(pieces, goals, decisive(goals, replay), found)


def shows_tactic(replay: Replay) -> bool:
    """Return whether a line shows a tactic, sound or not.

    It does if it mates, stalemates or threatens mate, if the solver wins material or promotes, or if it shows
    a motif of attack or defence (`motifs.attacks`, `motifs.defences`) that is worth a tag.
    """
    end = replay.end.board
    if end.is_checkmate() or end.is_stalemate():
        return True
    if total_gain(replay) > 0:
        return True
    if any(
        goal.aim is Aim.PROMOTE or (goal.threatened and goal.aim is Aim.MATE) for goal in goals_of(replay)
    ):
        return True
    return any(motif.notable for rule in TACTICS for motif in rule(replay))
