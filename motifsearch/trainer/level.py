"""How strong a player is, and what is hard for her.

Game ratings (Elo) and puzzle ratings are different scales: a game rating only says roughly which puzzles suit
a player. A player who has a puzzle rating should give it instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from sqlalchemy.orm import Session

from db.analyses import newest_ratings
from db.models import Puzzle

# The number of newest games that show how strong a player is today.
NEWEST = 20

# The rating difference from which a puzzle is hard: the player would solve one of eleven such puzzles.
HARD = 400


def level_of(session: Session, players: Sequence[str]) -> int | None:
    """Return the median rating of a player in her newest games, or None if no game has a rating."""
    ratings = newest_ratings(session, players, NEWEST)
    return round(median(ratings)) if ratings else None


def is_hard(puzzle: Puzzle, level: float | None) -> bool:
    """Return whether a puzzle is far above a student's level; False if either level is not known."""
    return puzzle.level is not None and level is not None and puzzle.level >= level + HARD
