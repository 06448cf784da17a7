"""How strong a player is, and what is hard for her.

Elo ratings of games and ratings of puzzles are two scales: the first only says about where puzzles for her
are to be looked for. She knows better herself, if she has a rating for puzzles.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from sqlalchemy.orm import Session

from db.analyses import newest_ratings
from db.models import Puzzle

# The newest games that say how strong a player is today.
NEWEST = 20

# Points of rating from which on a puzzle is hard: she would solve one of eleven like it.
HARD = 400


def level_of(session: Session, players: Sequence[str]) -> int | None:
    """Return the median rating of a player in her newest games, None if no game has one."""
    ratings = newest_ratings(session, players, NEWEST)
    return round(median(ratings)) if ratings else None


def is_hard(puzzle: Puzzle, level: float | None) -> bool:
    """Return whether a puzzle is far above the level of its solver; False if either is not known."""
    return puzzle.level is not None and level is not None and puzzle.level >= level + HARD
