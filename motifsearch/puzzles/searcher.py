"""Finding the stored puzzles that are most like a given one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from chess_motif.errors import InputError
from chess_motif.progress import Progress
from db.models import Puzzle
from db.puzzles import get_puzzles, mark_shown
from db.store import Store
from motifsearch.index.bm25 import Clause
from motifsearch.index.directory import Index
from motifsearch.index.searcher import Searcher
from motifsearch.index.widening import widening
from motifsearch.puzzles.filters import PuzzleFilters
from motifsearch.puzzles.index import sync_puzzles
from motifsearch.puzzles.query import Query, resolve
from motifsearch.puzzles.ranking import FIELDS_BY, By, best, clauses, contributions, scores
from motifsearch.puzzles.stored import require_puzzles
from motifsearch.terms import STATIC_FIELDS, Mode, encode, query_terms
from puzzlegen.motifs.replay import Replay

DEFAULT_COUNT = 10


@dataclass(frozen=True)
class Match:
    """A term that query and puzzle share, and what it adds to the score, field weight included."""

    term: str
    field: str
    score: float


@dataclass(frozen=True)
class Hit:
    """A puzzle found. `score` is exactly `static + dynamic`, and results are ordered by it.

    `matched` adds up to the score but for rounding, `words` say what both solutions show; both are empty
    without `why`.
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


class PuzzleSearcher(Searcher):
    """Finds the stored puzzles that are most like a given one.

    Opening it brings the index up to date, unless another process is doing so, and reports to `progress`:

        with PuzzleSearcher(store) as searcher:
            for hit in searcher.similar("00sHx", k=5):
                print(hit.puzzle.id, hit.score)

    `directory` holds the indexes (default: beside the database). Raises `InputError` for a store without
    puzzles, `IndexUnavailableError`, `StoreError`.
    """

    def __init__(
        self,
        store: Store,
        mode: Mode | str = Mode.DEFAULT,
        directory: Path | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.mode = Mode(mode)
        super().__init__(store, directory, progress)

    def query(self, text: str, moves: str | None = None, engine_path: str | None = None) -> Query:
        """Return the query that `text` stands for: the id of a stored puzzle, or a FEN.

        A FEN needs a solution: `moves` in UCI notation, solver first, or else what the engine finds. Raises
        as `resolve` does.
        """
        return resolve(self.store, text, moves, engine_path)

    def similar(
        self,
        query: Query | str,
        *,
        by: By | str = By.COMBINED,
        k: int = DEFAULT_COUNT,
        why: bool = False,
        filters: PuzzleFilters | None = None,
    ) -> list[Hit]:
        """Return the `k` puzzles most like the query, best first, ties by id; never the query itself.

        A query given as text is the id of a stored puzzle, or a FEN, see `query`. `by` says which terms
        decide; the other kind's score is then 0. Puzzles that share no term with the query are left out, and
        so are those that do not pass the `filters`. With `why`, results say what they share with the query.
        Raises `InputError` for k < 1, `StoreError`, and as `resolve` does.
        """
        if k < 1:
            raise InputError(f"the number of results must be at least 1, not {k}")
        if isinstance(query, str):
            query = self.query(query)
        terms = query_terms(encode(query.board, query.moves, self.mode))
        asked = clauses(self._index, terms, self.mode, FIELDS_BY[By(by)])
        puzzles = self._best(asked, query, k, filters or PuzzleFilters())
        return self._hits(asked, puzzles, _words(query, puzzles) if why else None)

    def _best(self, asked: list[Clause], query: Query, k: int, filters: PuzzleFilters) -> dict[str, Puzzle]:
        """Return the best `k` puzzles that pass the filters, by id."""
        found: dict[str, Puzzle] = {}
        seen = 0
        for keys in widening(lambda limit: best(self._index, asked, limit, without=query.id), k):
            with self.store.reading() as session:
                puzzles = get_puzzles(session, keys[seen:], filters.stored(query))
            for key in keys[seen:]:
                if key in puzzles and filters.accepts(puzzles[key], found.values(), query):
                    found[key] = puzzles[key]
                    if len(found) == k:
                        return found
            seen = len(keys)
        return found

    def _hits(
        self, asked: list[Clause], puzzles: Mapping[str, Puzzle], words: Mapping[str, str] | None
    ) -> list[Hit]:
        """Return the puzzles with their scores, best first; with `words`, the matched terms too."""
        keys = list(puzzles)
        static = scores(self._index, [clause for clause in asked if clause.field in STATIC_FIELDS], keys)
        dynamic = scores(self._index, [clause for clause in asked if clause.field not in STATIC_FIELDS], keys)
        matched = {} if words is None else _matched(self._index, asked, keys)
        words = words or {}
        ordered = sorted(keys, key=lambda key: (-(static[key] + dynamic[key]), key))
        return [
            Hit(rank, static[key], dynamic[key], puzzles[key], matched.get(key, ()), words.get(key, ""))
            for rank, key in enumerate(ordered, start=1)
        ]

    def _synced(self) -> Index:
        with self.store.reading() as session:
            require_puzzles(session)
        index, _ = sync_puzzles(
            self.store, self.mode, self._directory, allow_stale=True, progress=self._progress
        )
        return index


def record_shown(store: Store, name: str, hits: Iterable[Hit]) -> None:
    """Remember that these results were shown to `name`: searches for puzzles `new_to` them leave them out."""
    with store.session() as session:
        mark_shown(session, name, [hit.puzzle.id for hit in hits])


def _words(query: Query, puzzles: Mapping[str, Puzzle]) -> dict[str, str]:
    # Only here: most searches need no words.
    from motifsearch.puzzles.explanation import shared_words

    asked = Replay(query.board, query.moves, query.puzzle.capture_before() if query.puzzle else None)
    return {
        key: shared_words(asked, Replay(puzzle.position(), puzzle.moves(), puzzle.capture_before()))
        for key, puzzle in puzzles.items()
    }


def _matched(index: Index, asked: list[Clause], keys: list[str]) -> dict[str, tuple[Match, ...]]:
    return {
        key: tuple(Match(clause.term, clause.field, score) for clause, score in parts)
        for key, parts in contributions(index, asked, keys).items()
    }
