"""Finding the stored puzzles that are most like a given one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import chess

from chess_motif.errors import InputError
from chess_motif.progress import Progress
from db.models import Puzzle
from db.puzzles import get_puzzles, mark_shown
from db.store import Store
from motifsearch.index.bm25 import Clause
from motifsearch.index.directory import Index
from motifsearch.puzzles.filters import PuzzleFilters
from motifsearch.puzzles.index import sync_puzzles
from motifsearch.puzzles.query import Query
from motifsearch.puzzles.ranking import FIELDS_BY, By, best, clauses, contributions, scores
from motifsearch.puzzles.stored import require_puzzles
from motifsearch.terms import STATIC_FIELDS, Mode, encode, query_terms
from puzzlegen.formats.present import moves_of, taken_before
from puzzlegen.motifs.replay import Replay

DEFAULT_COUNT = 10

# How many times farther down the ranking the next look goes, where too few were wanted so far.
DEEPER = 8


@dataclass(frozen=True)
class Match:
    """A term that query and puzzle share, and what it adds to the score, field weight included."""

    term: str
    field: str
    score: float


@dataclass(frozen=True)
class Hit:
    """A puzzle found. `score` is exactly `static + dynamic`, and results are ordered by it.

    `matched` adds up to the score but for rounding, `words` say what both solutions show; they are empty
    unless asked for.
    """

    rank: int
    static: float
    dynamic: float
    puzzle: Puzzle
    matched: tuple[Match, ...] = ()
    words: str = ""

    @property
    def score(self) -> float:
        """BM25 score, 0 or more; comparable within one search only."""
        return self.static + self.dynamic


def similar(
    store: Store,
    query: Query,
    *,
    by: By = By.COMBINED,
    mode: Mode = Mode.DEFAULT,
    k: int = DEFAULT_COUNT,
    why: bool = False,
    wanted: PuzzleFilters | None = None,
    directory: Path | None = None,
    progress: Progress | None = None,
) -> list[Hit]:
    """Return the `k` puzzles most like the query, best first, ties by id; never the query itself.

    The index in `directory` (default: beside the database) is brought up to date first, unless another
    process is doing so, and `notice` gets what that has to say. `by` says which terms decide; the other
    kind's score is then 0. Puzzles that share no term with the query are no results, nor those that are not
    `wanted`. What is to be new to someone is new to them once: it is marked as shown. Raises `InputError`
    for k < 1 or a database without puzzles, `IndexUnavailableError`, `StoreError`.
    """
    if k < 1:
        raise InputError(f"{k} results asked for; at least 1 is possible")
    with store.reading() as session:
        require_puzzles(session)
    terms = query_terms(encode(query.board, query.moves, mode))
    index, _ = sync_puzzles(store, mode, directory, allow_stale=True, progress=progress)
    asked = clauses(index, terms, mode, FIELDS_BY[by])
    puzzles = _best(store, index, asked, query, k, wanted or PuzzleFilters())
    keys = list(puzzles)
    static = scores(index, [clause for clause in asked if clause.field in STATIC_FIELDS], keys)
    dynamic = scores(index, [clause for clause in asked if clause.field not in STATIC_FIELDS], keys)
    matched = _matched(index, asked, keys) if why else {}
    ordered = sorted(puzzles, key=lambda key: (-(static[key] + dynamic[key]), key))
    words = _words(query, puzzles) if why else {}
    if wanted is not None and wanted.puzzles.new_to is not None:
        with store.session() as session:
            mark_shown(session, wanted.puzzles.new_to, ordered)
    return [
        Hit(rank, static[key], dynamic[key], puzzles[key], matched.get(key, ()), words.get(key, ""))
        for rank, key in enumerate(ordered, start=1)
    ]


def _best(
    store: Store, index: Index, asked: list[Clause], query: Query, k: int, wanted: PuzzleFilters
) -> dict[str, Puzzle]:
    """Return the best `k` puzzles that are wanted, by id, looking further down the ranking as need be."""
    found: dict[str, Puzzle] = {}
    seen, limit = 0, k
    while True:
        keys = best(index, asked, limit, without=query.id)
        with store.reading() as session:
            puzzles = get_puzzles(session, keys[seen:], wanted.stored(query))
        for key in keys[seen:]:
            if len(found) < k and key in puzzles and wanted.accepts(puzzles[key], found.values(), query):
                found[key] = puzzles[key]
        if len(found) == k or len(keys) < limit:
            return found
        seen, limit = len(keys), DEEPER * limit


def _words(query: Query, puzzles: Mapping[str, Puzzle]) -> dict[str, str]:
    # Only here: most searches ask for no words.
    from motifsearch.puzzles.explanation import shared_words

    asked = Replay(query.board, query.moves, taken_before(query.puzzle) if query.puzzle else None)
    return {
        key: shared_words(
            asked, Replay(chess.Board(puzzle.puzzle_fen), moves_of(puzzle), taken_before(puzzle))
        )
        for key, puzzle in puzzles.items()
    }


def _matched(index: Index, asked: list[Clause], keys: list[str]) -> dict[str, tuple[Match, ...]]:
    return {
        key: tuple(Match(clause.term, clause.field, score) for clause, score in parts)
        for key, parts in contributions(index, asked, keys).items()
    }
