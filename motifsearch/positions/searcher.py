"""Finding the archived positions that are most like a given one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import chess
from tantivy import DocAddress, Occur, Query

from chess_motif.errors import InputError
from chess_motif.notation import parse_placement
from chess_motif.parallel import chunks_of
from db.games import GameFilter, get_archived, last_archived
from db.models import ArchivedGame
from motifsearch.index.bm25 import Clause, Word, form_boosts, rounded, search, search_within
from motifsearch.index.directory import Index
from motifsearch.index.searcher import Searcher
from motifsearch.index.widening import widening
from motifsearch.positions.feature_sets import WEIGHTS, FeatureSet
from motifsearch.positions.index import sync_positions
from motifsearch.positions.terms import Family, query_families
from motifsearch.terms.static import reach_variants

DEFAULT_COUNT = 10

# Positions retrieved at first, of which the best of each game is kept (Ganguly et al., section 4).
CANDIDATES = 1000

# Games read from the database at a time. Few: the first ones usually pass the filters.
GAMES_AT_ONCE = 50


class Place(NamedTuple):
    """A position of an archived game: the number of the game, and the number of plies before the position."""

    number: int
    ply: int


@dataclass(frozen=True)
class PositionFilters:
    """Which positions a search may return: of which games, with which material, such as `KRPP-KRP`."""

    games: GameFilter = field(default_factory=GameFilter)
    material: str | None = None


@dataclass(frozen=True)
class Match:
    """A term that the query and a position share, and what it adds to the score."""

    term: str
    family: Family
    score: float


@dataclass(frozen=True)
class PositionHit:
    """A position that was found, `ply` plies into its game.

    `score` is the BM25 score, above 0 and comparable within one search only. `parts` is what each family of
    terms adds to it, and `matched` what each term adds (empty without `why`); both add up to the score except
    for rounding.
    """

    rank: int
    score: float
    game: ArchivedGame
    ply: int
    parts: Mapping[Family, float]
    matched: tuple[Match, ...] = ()

    def board(self) -> chess.Board:
        """Return the position."""
        return self.played()[0]

    def next_moves(self) -> list[chess.Move]:
        """Return the moves from the position to the end of the game."""
        return self.played()[1]

    def played(self) -> tuple[chess.Board, list[chess.Move]]:
        """Return both the position and the moves from there to the end of the game."""
        board = chess.Board(self.game.start or chess.STARTING_FEN)
        moves = [chess.Move.from_uci(word) for word in self.game.moves.split()]
        for move in moves[: self.ply]:
            board.push(move)
        return board.copy(stack=False), moves[self.ply :]


class PositionSearcher(Searcher):
    """Finds the positions of archived games that are most like a given one.

    Opening it brings the index up to date, unless another process is doing so, and reports to `progress`:

        with PositionSearcher(store) as searcher:
            for hit in searcher.similar("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", k=5):
                print(hit.game.game.white, hit.ply, hit.score)

    `directory` holds the indexes (default: beside the database). Raises `InputError` for a store without
    archived games, `IndexUnavailableError`, `StoreError`.
    """

    def similar(
        self,
        board: chess.Board | str,
        *,
        feature_set: FeatureSet | str = FeatureSet.DEFAULT,
        k: int = DEFAULT_COUNT,
        why: bool = False,
        filters: PositionFilters | None = None,
    ) -> list[PositionHit]:
        """Return the positions most like `board`, best first: the best one of each of `k` archived games.

        The board may be given as a FEN. Only the pieces count, not the side to move or the castling rights.
        Ties are broken by the number of the game and the ply. With `why`, results have the terms that
        matched. Raises `InputError` for k < 1, or a position without a term of the feature set;
        `PositionError`, `StoreError`.
        """
        if k < 1:
            raise InputError(f"the number of results must be at least 1, not {k}")
        if isinstance(board, str):
            board = parse_placement(board)
        search = partial(self._similar, board, FeatureSet(feature_set), k, why, filters or PositionFilters())
        return self._answer(search)

    def _similar(
        self, board: chess.Board, feature_set: FeatureSet, k: int, why: bool, filters: PositionFilters
    ) -> list[PositionHit]:
        query = clauses(self._index, board, feature_set)
        return self._hits(query, self._best_of_games(query, k, filters), why)

    def _best_of_games(
        self, query: Sequence[Clause], k: int, filters: PositionFilters
    ) -> list[tuple[float, Place, ArchivedGame]]:
        """Return the best place of each of the best `k` games that pass the filters, with its score."""

        def best(limit: int) -> list[tuple[float, Place]]:
            return candidates(self._index, query, limit, filters.material)

        ranked: list[tuple[float, Place, ArchivedGame]] = []
        for hits in widening(best, CANDIDATES):
            ranked = []
            with self.store.reading() as session:
                for part in chunks_of(best_of_games(hits), GAMES_AT_ONCE):
                    games = get_archived(session, [place.number for _, place in part], filters.games)
                    ranked += [
                        (score, place, games[place.number]) for score, place in part if place.number in games
                    ]
                    if len(ranked) >= k:
                        return ranked[:k]
        return ranked

    def _hits(
        self, query: Sequence[Clause], ranked: Sequence[tuple[float, Place, ArchivedGame]], why: bool
    ) -> list[PositionHit]:
        # The number of positions of each game: a start, and one more for each move.
        places = {place: game.moves.count(" ") + 2 for _, place, game in ranked}
        parts = {}
        for family in Family:
            of_family = [clause for clause in query if clause.field == family]
            if of_family:
                parts[family] = scores_at(self._index, of_family, places)
        matched = [(clause, scores_at(self._index, [clause], places)) for clause in query] if why else []
        return [
            PositionHit(
                rank,
                score,
                game,
                place.ply,
                {family: rounded(scored[place]) for family, scored in parts.items() if scored[place]},
                _matches([(clause, scored[place]) for clause, scored in matched]),
            )
            for rank, (score, place, game) in enumerate(ranked, start=1)
        ]

    def _synced(self, *, allow_stale: bool) -> Index:
        with self.store.reading() as session:
            if not last_archived(session):
                raise InputError("no games are archived yet; 'motifsearch positions add GAMES' does that")
        index, _ = sync_positions(
            self.store, self._directory, allow_stale=allow_stale, progress=self._progress
        )
        return index


def clauses(index: Index, board: chess.Board, feature_set: FeatureSet) -> list[Clause]:
    """Return the query for a position. Raises `InputError` when it has no term of the feature set.

    A placement `Qf2` matches a queen on f2 and, if the feature set has reach terms, one that can move there,
    with a weight that depends on the distance. The field of a clause is the family of its term in the query.
    """
    weights, query = WEIGHTS[feature_set], []
    terms = query_families(board)
    for family in weights.keys() & terms.keys():
        for term, repeated in sorted(Counter(terms[family]).items()):
            forms = {Word(family, term): 1.0}
            if family is Family.PLACED and Family.REACH in weights:
                share = weights[Family.REACH] / weights[Family.PLACED]
                forms |= {
                    Word(Family.REACH, word): share * weight for word, weight in reach_variants(term).items()
                }
            boosts = form_boosts(index, forms)
            if boosts:
                weight = repeated * weights[family]
                query.append(Clause(family, term, {word: weight * boost for word, boost in boosts.items()}))
    if not any(terms[family] for family in weights):
        raise InputError(f"nothing to search for: the position has no term of {feature_set}")
    return query


def candidates(
    index: Index, query: Sequence[Clause], limit: int, material: str | None = None
) -> list[tuple[float, Place]]:
    """Return the best `limit` positions, best first, with their unrounded scores."""
    if not query:
        return []
    if material is None:
        hits = search(index, query, limit)
    else:
        only = Query.term_query(index.schema, "material", material, "basic")
        hits = search_within(index, query, only, limit)
    return [(score, place) for score, place in _places(index, hits) if score > 0]


def best_of_games(hits: Sequence[tuple[float, Place]]) -> list[tuple[float, Place]]:
    """Return the best place of each game with its rounded score, best first, ties by game and ply."""
    best: dict[int, tuple[float, Place]] = {}
    for score, place in sorted(hits, key=lambda hit: (-rounded(hit[0]), hit[1])):
        best.setdefault(place.number, (rounded(score), place))
    return list(best.values())


def scores_at(index: Index, query: Sequence[Clause], places: Mapping[Place, int]) -> dict[Place, float]:
    """Return the score of the query at each of these places, given the number of positions of its game."""
    only = Query.boolean_query(
        [(Occur.Should, Query.term_query(index.schema, "number", place.number)) for place in places]
    )
    # All positions of these games are scored; those at the given places are kept.
    hits = search_within(index, query, only, sum(places.values()))
    scored = {place: score for score, place in _places(index, hits)}
    return {place: scored.get(place, 0.0) for place in places}


def _places(index: Index, hits: Sequence[tuple[float, DocAddress]]) -> list[tuple[float, Place]]:
    addresses = [address for _, address in hits]
    numbers = index.values("number", addresses)
    plies = index.values("ply", addresses)
    return [
        (score, Place(number, ply))
        for (score, _), number, ply in zip(hits, numbers, plies, strict=True)
        if number is not None and ply is not None
    ]


def _matches(scored: Sequence[tuple[Clause, float]]) -> tuple[Match, ...]:
    shared = [Match(clause.term, Family(clause.field), score) for clause, score in scored if score]
    return tuple(sorted(shared, key=lambda match: (-match.score, match.term)))
