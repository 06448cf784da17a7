"""What an audit finds wrong."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Fault(StrEnum):
    """What an audit may find wrong with a puzzle or an exercise."""

    BEST_MOVE = "another move is best"
    NOT_WINNING = "best move does not win"
    GAP = "another move wins too"
    AS_GOOD = "a move that is not accepted is as good"
    END = "no clear gain of material"
    STABILITY = "ends in an unstable position"


@dataclass(frozen=True)
class Finding:
    """A fault, the ply of the solution (from 0) where it shows, the move there, and what the engine found.

    `move` is empty for a fault in the final position.
    """

    fault: Fault
    ply: int
    move: str
    seen: str
