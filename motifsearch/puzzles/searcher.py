"""Finding the stored puzzles that are most like a given puzzle.

The index finds the best puzzles, and the filters are applied to them. If few pass, the database is asked for
all puzzles that pass, and only these are searched. A search changes nothing: `record_shown` stores who has
seen which results, so that searches with the filter `PuzzleFilter.new_to` leave these results out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from chess_motif.progress import Progress
from db.changes import last_change
from db.models import Puzzle
from db.puzzles import PuzzleFilter, get_puzzles, mark_shown, require_puzzles
from db.store import Store
from engines.options import EngineChoice
from motifsearch.index.bm25 import OVERFETCH_FACTOR, Clause, Match, overfetch, rounded
from motifsearch.index.directory import Index
from motifsearch.index.sync import OpenIndex
from motifsearch.puzzles.index import extent, numbers_passing, sync_puzzles
from motifsearch.puzzles.ranking import FIELDS_BY, Ranked, best, clauses, matches_in, own_score
from motifsearch.search import By, PuzzleQuery, SearchRequest, resolve
from motifsearch.terms.encoding import encode, query_terms
from motifsearch.terms.weights import DEFAULT, Encoding, encoding_named
from puzzlegen.reasons.tactics import Tactics

if TYPE_CHECKING:
    import chess

    from puzzlegen.reasons.explained import ExplainedReason

# The best puzzles that are found at first for each result. Some are often left out, such as those with nearly
# the same position, and to find more takes as long again.
FOUND_PER_RESULT = 3

# The number of best puzzles that are filtered before the database is asked for all puzzles that pass, which
# reads the whole table (half a million puzzles in 0.3 s).
LOOKED_AT = 500

# The most puzzles whose numbers limit a search. Among five million, 100,000 take a quarter of a second.
MOST_NAMED = 100_000


@dataclass(frozen=True)
class PuzzleHit:
    """A puzzle that was found, with the static and the dynamic part of its score.

    `likeness` (0…1) is the score divided by that of the query against itself. `matched` are the terms that
    the puzzle shares with the query, whose scores add up to `score` except for rounding; `words` say what the
    solutions have in common; `reasons` are the reasons why the puzzle's solution works that also hold for the
    query's solution. All three are empty without `why`.
    """

    rank: int
    static: float
    dynamic: float
    likeness: float
    puzzle: Puzzle
    matched: tuple[Match, ...] = ()
    words: str = ""
    reasons: tuple[ExplainedReason, ...] = ()

    @property
    def score(self) -> float:
        """The BM25 score, `static + dynamic`; 0 or more, and comparable within one search only."""
        return self.static + self.dynamic


class PuzzleSearcher(OpenIndex[Index]):
    """Finds the stored puzzles that are most like a given puzzle.

    Use it in a `with` statement, or call `close`. Opening it brings the index up to date, unless another
    process is doing so, and reports to `progress`:

        with PuzzleSearcher(store) as searcher:
            for hit in searcher.similar(SearchRequest("00sHx", k=5)):
                print(hit.puzzle.id, hit.score)

    A searcher may stay open for months and be used by several threads. Puzzles that any process stores later
    are found after some seconds (see `refresh`). `mode` is an encoding or its name, "default" or "paper".
    `directory` holds the indexes (default: beside the database). Raises `InputError` for a store without
    puzzles, `IndexUnavailableError`, `StoreError`.
    """

    def __init__(
        self,
        store: Store,
        mode: Encoding | str = DEFAULT,
        directory: Path | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.store = store
        self.encoding = encoding_named(mode) if isinstance(mode, str) else mode

        def synced(allow_stale: bool) -> Index:
            with store.reading() as session:
                require_puzzles(session)
            index, _ = sync_puzzles(
                store, self.encoding, directory, allow_stale=allow_stale, progress=progress
            )
            return index

        def state() -> int:
            with store.reading() as session:
                return last_change(session)

        def is_current(index: Index) -> bool:
            with store.reading() as session:
                return (index.count, index.last_number) == extent(session)

        super().__init__(synced, state, is_current)

    def query(
        self,
        asked: chess.Board | str,
        moves: Sequence[chess.Move] | str | None = None,
        engine: EngineChoice = None,
    ) -> PuzzleQuery:
        """Return the query for a position (a board or a FEN), or for a stored puzzle (its id or address).

        The address is that of the puzzle on Lichess, or that of its game. A position needs a solution:
        `moves`, or their text in SAN or UCI notation, solver first. Without `moves`, the `engine` (default:
        Stockfish, wherever it is installed) finds the solution. Raises `PositionError`,
        `UnknownPuzzleError`, `EngineError`, and `InputError` for moves given with a stored puzzle or for a
        game with several puzzles.
        """
        return resolve(self.store, asked, moves, engine)

    def similar(self, request: SearchRequest) -> list[PuzzleHit]:
        """Return the puzzles that the request asks for, best first, ties by id.

        Puzzles that share no term with the query are left out. Raises `StoreError`, and what `query` raises.
        """
        asked = request.query
        query = asked if isinstance(asked, PuzzleQuery) else self.query(asked)
        hits = self.answer(lambda index: self._similar(index, query, request))
        return explained(query, hits) if request.why else hits

    def _similar(self, index: Index, query: PuzzleQuery, request: SearchRequest) -> list[PuzzleHit]:
        by = By(request.by)
        document = encode(query.tactics, self.encoding)
        asked = clauses(index, query_terms(document), self.encoding, FIELDS_BY[by])
        found = self._best(index, asked, query, request)
        own = own_score(index, document, self.encoding, FIELDS_BY[by])
        matched = matches_in(index, asked, [one.key for _, one in found]) if request.why else {}
        return [
            PuzzleHit(
                rank,
                static=max(rounded(one.score - one.dynamic), 0.0),
                dynamic=one.dynamic,
                likeness=min(one.score / own, 1.0),
                puzzle=puzzle,
                matched=matched.get(puzzle.id, ()),
            )
            for rank, (puzzle, one) in enumerate(found, start=1)
        ]

    def _best(
        self, index: Index, asked: list[Clause], query: PuzzleQuery, request: SearchRequest
    ) -> list[tuple[Puzzle, Ranked]]:
        """Return the best puzzles that the request accepts, best first, with their scores."""
        k, stored = request.k, request.stored(query)
        accepted: dict[Puzzle, Ranked] = {}
        for ranked in self._rankings(index, asked, query, k, stored):
            with self.store.reading() as session:
                puzzles = get_puzzles(session, [one.key for one in ranked], stored)
            accepted = {}
            for one in ranked:
                puzzle = puzzles.get(one.key)
                if len(accepted) < k and puzzle and request.accepts(puzzle, accepted, query):
                    accepted[puzzle] = one
            if len(accepted) == k:
                break
        return list(accepted.items())

    def _rankings(
        self, index: Index, asked: list[Clause], query: PuzzleQuery, k: int, stored: PuzzleFilter
    ) -> Iterator[Sequence[Ranked]]:
        """Yield the best puzzles, more each time, and finally of all that pass `stored`."""
        ranking = partial(best, index, asked, without=query.id, exact=self.encoding.exact)
        for ranked in overfetch(ranking, FOUND_PER_RESULT * k):
            yield ranked
            if len(ranked) >= LOOKED_AT:
                break
        else:
            return
        passing = self._passing(stored)
        if passing is None:
            yield from overfetch(ranking, len(ranked) * OVERFETCH_FACTOR)
        else:
            yield from overfetch(partial(ranking, numbers=passing), k)

    def _passing(self, stored: PuzzleFilter) -> list[int] | None:
        """Return the numbers of the puzzles that pass, or None if all or more than `MOST_NAMED` pass."""
        if stored == PuzzleFilter():
            return None
        with self.store.reading() as session:
            numbers = numbers_passing(session, stored, MOST_NAMED + 1)
        return numbers if len(numbers) <= MOST_NAMED else None


def explained(query: PuzzleQuery, hits: Iterable[PuzzleHit]) -> list[PuzzleHit]:
    """Return the results with `words` and `reasons`; `matched` as well would take twice as long."""
    # Imported only here: most searches need no words.
    from motifsearch.puzzles.explanation import shared_words

    found_out = []
    for hit in hits:
        found = Tactics.of(hit.puzzle)
        words, reasons = shared_words(query.tactics, found), query.shared_reasons(found)
        found_out.append(replace(hit, words=words, reasons=reasons))
    return found_out


def record_shown(store: Store, name: str, hits: Iterable[PuzzleHit]) -> None:
    """Record that `name`, a person or a group, has seen these results."""
    with store.session() as session:
        mark_shown(session, name, [hit.puzzle.id for hit in hits])
