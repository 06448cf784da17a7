"""Estimating how hard stored puzzles are."""

from __future__ import annotations

from contextlib import closing
from functools import cache, partial
from pathlib import Path

from chess_motif.errors import StoreError
from chess_motif.progress import Progress
from db.models import Puzzle
from db.puzzles import PuzzleFilter, set_estimates
from db.store import Store
from engines.human.model import load_human_model
from puzzlegen.difficulty.problem import Problem
from puzzlegen.difficulty.rating_model import Estimate, RatingModel, load_rating_model
from puzzlegen.upkeep.every_puzzle import every_puzzle


def rate(
    store: Store,
    human_model: Path | None = None,
    *,
    filters: PuzzleFilter | None = None,
    progress: Progress | None = None,
) -> int:
    """Estimate the difficulty of the puzzles that pass the filters; return how many puzzles were estimated.

    `human_model` is a file for `engines.load_human_model`. If it is interrupted, only the first puzzles have
    estimates. Raises `HumanModelError`, `StoreError`.
    """
    progress = progress or Progress()
    _model(human_model)
    estimated = 0
    work = partial(_estimates, human_model=human_model)
    with closing(every_puzzle(store, work, filters or PuzzleFilter(), progress, "rating")) as chunks:
        for chunk in chunks:
            for puzzle, estimate in chunk:
                if estimate is None:
                    progress.notice(f"the puzzle {puzzle.id} is damaged in the database, and not rated")
            estimates = {puzzle.number: estimate for puzzle, estimate in chunk if estimate is not None}
            with store.session() as session:
                set_estimates(session, estimates)
            estimated += len(estimates)
    return estimated


@cache
def _model(human_model: Path | None) -> RatingModel:
    """Return the model of this process."""
    return load_rating_model(load_human_model(human_model))


def _estimates(puzzles: list[Puzzle], human_model: Path | None) -> list[Estimate | None]:
    """Return an estimate for each puzzle, None for one that cannot be read."""
    problems = [_problem(puzzle) for puzzle in puzzles]
    known = iter(_model(human_model).estimate([problem for problem in problems if problem is not None]))
    return [None if problem is None else next(known) for problem in problems]


def _problem(puzzle: Puzzle) -> Problem | None:
    try:
        return Problem.of(puzzle)
    except StoreError:
        return None
