"""Pairs made from stored puzzles: a puzzle, and the same puzzle simplified and moved on the board.

They are a substitute for pairs made by people. The simplified puzzle has the same solution and fewer pieces,
mostly on other squares: a search that finds it has recognised the motif.
"""

from __future__ import annotations

import random

from chess_motif.errors import StoreError
from chess_motif.progress import Progress
from db.evaluations import keep_evaluations
from db.models import Puzzle
from db.puzzles import get_puzzles, puzzle_id
from db.selection import puzzle_ids
from db.store import Store
from engines.locate import find_engine
from engines.search_cache import CachedEngine
from motifsearch.evaluation.pairs import Pair, SolvedPosition
from motifsearch.puzzles.stored import require_puzzles
from puzzlegen.upkeep.analysis_pool import AnalysisPool
from puzzlegen.upkeep.placement import placements
from puzzlegen.upkeep.simplify import move_elsewhere, remove_pieces


def generate_pairs(
    store: Store,
    engine_path: str | None,
    count: int,
    *,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> list[Pair]:
    """Return `count` pairs made from random puzzles, or as many as there are.

    A pair has the id of its puzzle. Any puzzle that can be simplified makes a pair; the simplified puzzle is
    mirrored or shifted if its solution still works there. The same store, seed and engine (at `engine_path`,
    default: Stockfish, wherever it is installed) make the same pairs with any number of `workers`. Engine
    searches are stored, so that another call after an interruption does not repeat them. Raises
    `EngineError`, `StoreError`, and `InputError` for a store without puzzles.
    """
    with store.reading() as session:
        require_puzzles(session)
        names = puzzle_ids(session)
    random.Random(seed).shuffle(names)

    def pair_of(puzzle: Puzzle, engine: CachedEngine) -> Pair | None:
        return _pair(puzzle, engine, random.Random(f"{seed} {puzzle.id}"))

    pairs: list[Pair] = []
    progress = progress or Progress()
    with AnalysisPool(store, find_engine(engine_path), workers) as analysis_pool:
        for done in analysis_pool.map_puzzles(pair_of, names):
            with store.session() as session:
                keep_evaluations(session, done.searched)
            if done.result is not None:
                pairs.append(done.result)
                progress.update("making pairs", len(pairs), count, "pair")
            if len(pairs) == count:
                break
    return pairs


def other_puzzles(store: Store, count: int, pairs: list[Pair]) -> list[SolvedPosition]:
    """Return `count` stored puzzles, or as many as there are, that are in none of the pairs.

    Every call returns the same ones. Raises `StoreError`.
    """
    in_pairs = [one for pair in pairs for one in (pair.base, pair.simplified)]
    paired = {puzzle_id(one.board.fen(), one.moves[0]) for one in in_pairs}
    with store.reading() as session:
        names = [name for name in puzzle_ids(session, limit=count + len(paired)) if name not in paired]
        solved = map(_solved, get_puzzles(session, names[:count]).values())
        return [one for one in solved if one is not None]


def _pair(puzzle: Puzzle, engine: CachedEngine, order: random.Random) -> Pair | None:
    """Return a puzzle and the simplified puzzle, or None if no piece can be removed."""
    base = _solved(puzzle)
    if base is None:
        return None
    simpler = remove_pieces(base.board, base.moves, engine)
    if not simpler.removed:
        return None
    elsewhere = [
        place
        for mirrored, shifted in ((True, False), (False, True), (True, True))
        for place in placements(mirrored=mirrored, shifted=shifted)
    ]
    order.shuffle(elsewhere)
    moved = move_elsewhere(simpler, elsewhere, engine)
    simplified = SolvedPosition(moved.board, moved.moves)
    return Pair(puzzle.id, base, simplified, len(moved.removed), moved != simpler)


def _solved(puzzle: Puzzle) -> SolvedPosition | None:
    """Return a stored puzzle's position and solution, or None if it is unreadable."""
    try:
        return SolvedPosition(puzzle.position(), tuple(puzzle.moves()))
    except StoreError:
        return None
