"""Estimating how hard stored puzzles are."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

from chess_motif.progress import Progress
from db.models import Puzzle
from db.puzzles import PuzzleFilter
from db.store import Store
from engines.human.model import load_human_model, model_file
from puzzlegen.difficulty.problem import Problem
from puzzlegen.difficulty.rating_model import RatingModel, load_rating_model
from puzzlegen.upkeep.every_puzzle import Changes, change_every_puzzle


def rate(store: Store, filters: PuzzleFilter | None = None, progress: Progress | None = None) -> int:
    """Estimate the difficulty of the puzzles that pass the filters; return how many puzzles were estimated.

    If it is interrupted, only the first puzzles have estimates. Raises `HumanModelError`, `StoreError`.
    """
    human_model = model_file()
    # A model that cannot be used is an error here, not in a worker.
    _model(human_model)
    return change_every_puzzle(
        store,
        partial(_estimate, human_model),
        filters or PuzzleFilter(),
        progress or Progress(),
        label="rating",
        damaged="not rated",
    )


@cache
def _model(human_model: Path) -> RatingModel:
    """Return the model of this process."""
    return load_rating_model(load_human_model(human_model))


def _estimate(human_model: Path, puzzle: Puzzle) -> Changes:
    (estimate,) = _model(human_model).estimate([Problem.of(puzzle)])
    return estimate._asdict()
