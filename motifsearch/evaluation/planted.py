"""Planting positions in an index and among vectors, and the ranks at which a search finds them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from itertools import count
from typing import TYPE_CHECKING

import chess
from tantivy import Occur, Query

from chess_motif.errors import InputError
from chess_motif.material import material_of
from db.games import get_archived
from motifsearch.index.directory import FREQUENCIES, Index, Writer
from motifsearch.positions.colours import Colours
from motifsearch.positions.feature_sets import FeatureSet
from motifsearch.positions.index import fields_of
from motifsearch.positions.ranking import Candidate, Place, best_of_games, candidates, scores_at, variants
from motifsearch.positions.searcher import CANDIDATES
from motifsearch.positions.terms import Family, GameTerms, query_families
from motifsearch.runs.fusion import DEPTH, WEIGHT, fused
from motifsearch.runs.names import Run

if TYPE_CHECKING:
    from motifsearch.runs.embedded import EmbeddedSearcher

# The ranks of planted positions, 1 being best; None for one that is not among the candidates.
Ranks = Sequence[int | None]

# The scores of candidates by the terms of `Default`, and by their vectors.
BothScores = tuple[Mapping[Candidate, float], Mapping[Candidate, float]]


class Planted:
    """Groups of positions that are planted in an index, each as the only position of another game.

    With `embedded`, they are planted among the vectors of the memory as well.
    """

    def __init__(
        self, index: Index, groups: Sequence[Sequence[chess.Board]], embedded: EmbeddedSearcher | None = None
    ) -> None:
        """Add the positions to the index. Raises `IndexUnavailableError`."""
        self._index = index
        self._last = index.last_number
        numbers = count(self._last + 1)
        self._groups: list[dict[int, chess.Board]] = []
        with closing(Writer(index)) as writer:
            for group in groups:
                self._groups.append({next(numbers): board for board in group})
                for number, board in self._groups[-1].items():
                    writer.add(fields_of((number, 0, material_of(board), GameTerms().families(board))))
            writer.commit()
        self._embedded = embedded
        self._vectors = [] if embedded is None else [embedded.seen(group) for group in groups]

    def ranks(self, group: int, board: chess.Board, colours: Colours = Colours.SAME) -> dict[Run, Ranks]:
        """Return for each run the ranks at which a search for `board` finds the positions of a group.

        They are ranked among the games that were in the index before, except those in which `board` itself
        occurred, with these colours. Games with the same score rank before them, unless their colours are
        reversed. The runs are the feature sets and, with `embedded`, the others.
        """
        rankings = self.rankings(group, board, colours)
        games = {run: [candidate.place.number for candidate in found] for run, found in rankings.items()}
        if self._embedded is not None:
            games[Run.FUSED] = fused_games(self.both_scores(group, board, colours, rankings))
        return {run: self.ranks_in(ranking, group) for run, ranking in games.items()}

    def both_scores(
        self, group: int, board: chess.Board, colours: Colours, rankings: Mapping[Run, Sequence[Candidate]]
    ) -> BothScores:
        """Return the scores by terms and by vectors of the best candidates of `Default` and `Embedded`."""
        assert self._embedded is not None
        planted = self._groups[group]
        found = [*rankings[Run.DEFAULT][:DEPTH], *rankings[Run.EMBEDDED][:DEPTH]]
        # Scores of candidates are of either kind.
        candidates = list(dict.fromkeys(candidate._replace(score=0.0) for candidate in found))
        numbers = {candidate.place.number for candidate in candidates}
        with self._embedded.store.reading() as session:
            games = get_archived(session, [*(numbers - planted.keys())])
        counts, boards = {}, []
        for candidate in candidates:
            number, ply = candidate.place
            counts[candidate] = 1 if number in planted else games[number].moves.count(" ") + 2
            one = planted[number] if number in planted else games[number].position(ply)
            boards.append((one, candidate.reversed))
        by_vectors = self._embedded.scores(self._embedded.views(board), boards)
        by_terms = scores_at(self._index, variants(self._index, board, FeatureSet.DEFAULT, colours), counts)
        return by_terms, dict(zip(candidates, by_vectors, strict=True))

    def rankings(
        self, group: int, board: chess.Board, colours: Colours, runs: Collection[Run] = tuple(Run)
    ) -> dict[Run, list[Candidate]]:
        """Return the best position of each game that counts, see `ranks`, best first, except for `Fused`."""
        same = self._games_with(board)
        if colours is Colours.EITHER:
            same |= self._games_with(board.mirror())
        # The other positions of these games are similar, too, and must not displace candidates.
        limit = CANDIDATES + len(self._positions_of(same))
        found = {
            run: found_by_terms(self._index, board, run.feature_set, colours, limit)
            for run in runs
            if run.feature_set is not None
        }
        if self._embedded is not None and Run.EMBEDDED in runs:
            found[Run.EMBEDDED] = self._by_vectors(self._embedded, group, board, colours, limit)
        return {run: self._counting(best_of_games(ranked), group, same) for run, ranked in found.items()}

    def _counting(self, found: Sequence[Candidate], group: int, same: set[int]) -> list[Candidate]:
        """Return the candidates whose games count."""
        # Ties are broken by number: planted games, which have the highest ones, come last.
        return [
            candidate
            for candidate in found
            if candidate.place.number in self._groups[group]
            or (candidate.place.number <= self._last and candidate.place.number not in same)
        ]

    def ranks_in(self, ranking: Sequence[int], group: int) -> Ranks:
        """Return the ranks of a group's positions, of which only those of other games count."""
        ahead, ranks = 0, {}
        for number in ranking:
            if number in self._groups[group]:
                ranks[number] = ahead + 1
            else:
                ahead += 1
        return [ranks.get(number) for number in self._groups[group]]

    def _by_vectors(
        self, embedded: EmbeddedSearcher, group: int, board: chess.Board, colours: Colours, limit: int
    ) -> list[Candidate]:
        views = embedded.views(board)
        found = embedded.candidates(views, colours, limit)
        for (number, position), vector in zip(self._groups[group].items(), self._vectors[group], strict=True):
            for view in views:
                candidate = embedded.compare(view, Place(number, 0), position.turn, vector)
                if colours is Colours.EITHER or not candidate.reversed:
                    found.append(candidate)
        return sorted(found, key=lambda candidate: -candidate.score)[:limit]

    def _games_with(self, board: chess.Board) -> set[int]:
        """Return the games in which exactly these pieces were on these squares."""
        schema = self._index.schema
        pieces = [
            Query.term_query(schema, Family.PLACED, piece, FREQUENCIES)
            for piece in query_families(board)[Family.PLACED]
        ]
        material = Query.term_query(schema, "material", material_of(board), "basic")
        return set(self._numbers(Query.boolean_query([(Occur.Must, part) for part in (*pieces, material)])))

    def _positions_of(self, games: set[int]) -> list[int]:
        numbers = [Query.term_query(self._index.schema, "number", number) for number in games]
        return self._numbers(Query.boolean_query([(Occur.Should, number) for number in numbers]))

    def _numbers(self, query: Query) -> list[int]:
        """Return the game number of each position that matches."""
        hits = self._index.search(query, self._index.count)
        numbers = self._index.values("number", [address for _, address in hits])
        return [number for number in numbers if number is not None]


def fused_games(scores: BothScores, weight: float = WEIGHT) -> list[int]:
    """Return the games of candidates, best first, with this weight of their vectors."""
    return list(dict.fromkeys(candidate.place.number for candidate in fused(*scores, weight)))


def found_by_terms(
    index: Index, board: chess.Board, feature_set: FeatureSet, colours: Colours, limit: int
) -> list[Candidate]:
    """Return the best positions by a feature set, none for a position without a term of it."""
    try:
        return candidates(index, variants(index, board, feature_set, colours), limit)
    except InputError:
        return []
