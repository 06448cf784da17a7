"""Storing mining runs, and the puzzles of a game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from db.models import MiningRun, Puzzle, utc_now
from db.puzzles import add_puzzles
from db.store import Store
from puzzlegen.difficulty.problem import Problem
from puzzlegen.difficulty.rating_model import RatingModel


@contextmanager
def stored_run(store: Store, engine: str, rules: dict[str, Any]) -> Iterator[int]:
    """Store a mining run, and yield its number. It is finished when the block ends without an error."""
    with store.session() as session:
        run = MiningRun(engine=engine, rules=rules)
        session.add(run)
    yield run.number
    with store.session() as session:
        session.execute(update(MiningRun).where(MiningRun.number == run.number).values(finished=utc_now()))


def store_puzzles(
    session: Session, puzzles: Sequence[Puzzle], game: int, run: int, model: RatingModel
) -> int:
    """Store the puzzles of the game and the run with these numbers; return how many were new.

    Their difficulty is estimated by `model`.
    """
    estimates = model.estimate([Problem.of(puzzle) for puzzle in puzzles])
    for puzzle, estimate in zip(puzzles, estimates, strict=True):
        puzzle.difficulty, puzzle.difficulty_margin, puzzle.first_move_chance = estimate
        puzzle.game_number, puzzle.run_number = game, run
    return add_puzzles(session, puzzles)
