"""Planting positions in an index, and the ranks at which a search finds them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from itertools import count

import chess
from tantivy import Occur, Query

from chess_motif.errors import InputError
from chess_motif.material import material_of
from motifsearch.index.directory import FREQUENCIES, Index, Writer
from motifsearch.positions.colours import Colours
from motifsearch.positions.feature_sets import FeatureSet
from motifsearch.positions.index import fields_of
from motifsearch.positions.ranking import Candidate, best_of_games, candidates, variants
from motifsearch.positions.searcher import CANDIDATES
from motifsearch.positions.terms import Family, GameTerms, query_families

# The ranks of planted positions, 1 being best; None for one that is not among the candidates.
Ranks = Sequence[int | None]


class Planted:
    """Groups of positions that are planted in an index, each as the only position of another game."""

    def __init__(self, index: Index, groups: Sequence[Sequence[chess.Board]]) -> None:
        """Add the positions to the index. Raises `IndexUnavailableError`."""
        self._index = index
        self._last = index.last_number
        numbers = count(self._last + 1)
        self._groups: list[list[int]] = []
        with closing(Writer(index)) as writer:
            for group in groups:
                self._groups.append([next(numbers) for _ in group])
                for number, board in zip(self._groups[-1], group, strict=True):
                    writer.add(fields_of((number, 0, material_of(board), GameTerms().families(board))))
            writer.commit()

    def ranks(
        self, group: int, board: chess.Board, colours: Colours = Colours.SAME
    ) -> dict[FeatureSet, Ranks]:
        """Return for each feature set the ranks at which a search for `board` finds the positions of a group.

        They are ranked among the games that were in the index before, except those in which `board` itself
        occurred, with these colours. Games with the same score rank before them, unless their colours are
        reversed.
        """
        same = self._games_with(board)
        if colours is Colours.EITHER:
            same |= self._games_with(board.mirror())
        # The other positions of these games are similar, too, and must not displace candidates.
        limit = CANDIDATES + len(self._positions_of(same))
        found = {one: _found(self._index, board, one, colours, limit) for one in FeatureSet}
        return {one: self._ranks(best_of_games(ranked), group, same) for one, ranked in found.items()}

    def _ranks(self, found: Sequence[Candidate], group: int, same: set[int]) -> Ranks:
        """Return the ranks of a group's positions among the games that count."""
        ahead, ranks = 0, {}
        # Ties are broken by number: planted games, which have the highest ones, come last.
        for number in (candidate.place.number for candidate in found):
            if number in self._groups[group]:
                ranks[number] = ahead + 1
            elif number <= self._last and number not in same:
                ahead += 1
        return [ranks.get(number) for number in self._groups[group]]

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


def _found(
    index: Index, board: chess.Board, feature_set: FeatureSet, colours: Colours, limit: int
) -> list[Candidate]:
    """Return the best positions by a feature set, none for a position without a term of it."""
    try:
        return candidates(index, variants(index, board, feature_set, colours), limit)
    except InputError:
        return []
