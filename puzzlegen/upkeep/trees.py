"""The meaningful search trees of stored puzzles. Searches that the store knows are not repeated."""

from __future__ import annotations

from db.evaluations import keep_evaluations, lookup
from db.models import Puzzle
from db.store import Store
from engines.engine import Engine, find_engine
from engines.search_cache import CachedEngine
from puzzlegen.difficulty.tree import MeaningfulTree, meaningful_tree


def puzzle_tree(store: Store, puzzle: Puzzle, engine_path: str | None = None) -> MeaningfulTree:
    """Return the tree of a puzzle, and store the results of its searches.

    `engine_path` is a path or a command name (default: Stockfish, wherever it is installed). Raises
    `EngineError` and `StoreError`.
    """
    position = puzzle.position()
    with Engine(find_engine(engine_path)) as engine:
        searcher = CachedEngine(engine, lookup(store))
        tree = engine.attempt(lambda: meaningful_tree(position, searcher))
    with store.session() as session:
        keep_evaluations(session, searcher.found)
    return tree
