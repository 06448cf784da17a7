"""Storing the puzzles of a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from sqlalchemy.orm import Session

from db.models import Puzzle
from db.puzzles import add_puzzles
from db.rows import PuzzleRow
from puzzlegen.difficulty.problem import Problem
from puzzlegen.difficulty.rating_model import RatingModel


def store_puzzles(
    session: Session, puzzles: Sequence[PuzzleRow], game: int, run: int, model: RatingModel
) -> int:
    """Store the puzzles of the game and the run with these numbers; return how many were new.

    Their difficulty is estimated by `model`.
    """
    estimates = model.estimate([Problem.of(Puzzle(**row)) for row in puzzles])
    rows = [
        cast(PuzzleRow, {**row, **estimate._asdict(), "game_number": game, "run_number": run})
        for row, estimate in zip(puzzles, estimates, strict=True)
    ]
    return add_puzzles(session, rows)
