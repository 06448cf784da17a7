"""Estimating how hard stored puzzles are, without or with their search trees."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

from chess_motif.errors import StoreError
from chess_motif.progress import Progress
from db.evaluations import keep_evaluations
from db.models import Puzzle
from db.puzzles import PuzzleFilter, change_puzzles
from db.selection import puzzle_ids
from db.store import Store
from engines.human.model import load_human_model
from engines.locate import find_engine
from engines.search_cache import CachedEngine
from puzzlegen.difficulty.attributes import TreeAttributes, tree_attributes
from puzzlegen.difficulty.problem import Problem
from puzzlegen.difficulty.rating_model import RatingModel, load_rating_model
from puzzlegen.upkeep.analysis_pool import AnalysisPool
from puzzlegen.upkeep.every_puzzle import Changes, change_every_puzzle

# What becomes of a damaged puzzle.
DAMAGED = "not rated"


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
    # A model that cannot be used is an error here, not in a worker.
    _model(human_model)
    return change_every_puzzle(
        store,
        partial(_estimate, human_model),
        filters or PuzzleFilter(),
        progress or Progress(),
        label="rating",
        damaged=DAMAGED,
    )


def rate_with_trees(
    store: Store,
    human_model: Path | None = None,
    engine_path: str | None = None,
    *,
    filters: PuzzleFilter | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> int:
    """Do the same as `rate`, with the search tree of each puzzle: seconds a puzzle instead of milliseconds.

    `engine_path` is a path or a command name (default: Stockfish, wherever it is installed); `workers` of
    them run at a time. The results of searches are stored, so that none is repeated. Also raises
    `EngineError`.
    """
    progress = progress or Progress()
    model = _model(human_model)
    with store.reading() as session:
        names = puzzle_ids(session, filters)
    estimated = 0
    with AnalysisPool(store, find_engine(engine_path), workers) as pool:
        for done, analysed in enumerate(pool.map_puzzles(_with_tree, names), 1):
            changes = []
            if analysed.result is None:
                progress.notice(f"the puzzle {analysed.item.id} is damaged in the database, and {DAMAGED}")
            else:
                estimate = model.estimate_with_tree(*analysed.result)
                changes = [{"number": analysed.item.number, **estimate._asdict()}]
            with store.session() as session:
                keep_evaluations(session, analysed.searched)
                change_puzzles(session, changes)
            estimated += len(changes)
            progress.update("rating", done, len(names), "puzzle")
    return estimated


def _with_tree(puzzle: Puzzle, searcher: CachedEngine) -> tuple[Problem, TreeAttributes] | None:
    """Return a problem with the attributes of its tree, None if the puzzle cannot be read."""
    try:
        problem = Problem.of(puzzle)
    except StoreError:
        return None
    return problem, tree_attributes(problem.position, searcher)


@cache
def _model(human_model: Path | None) -> RatingModel:
    """Return the model of this process."""
    return load_rating_model(load_human_model(human_model))


def _estimate(human_model: Path | None, puzzle: Puzzle) -> Changes:
    (estimate,) = _model(human_model).estimate([Problem.of(puzzle)])
    return estimate._asdict()
