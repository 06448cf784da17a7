"""Positions hidden in an index, and at which place among the games a search finds them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from itertools import count

import chess
from tantivy import Occur, Query

from chess_motif.errors import InputError
from chess_motif.material import material_of
from motifsearch.index.directory import FREQUENCIES, Index, Writer
from motifsearch.positions.feature_sets import FeatureSet
from motifsearch.positions.index import fields_of
from motifsearch.positions.searcher import CANDIDATES, best_of_games, candidates, clauses
from motifsearch.positions.terms import Family, GameTerms, query_families

# The places of hidden positions, 1 being best; None where one is not among the positions looked at.
Ranks = Sequence[int | None]


class Planted:
    """Groups of positions, hidden in an index as the only positions of further games."""

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

    def ranks(self, group: int, board: chess.Board) -> dict[FeatureSet, Ranks]:
        """Return for each run at which places a search for `board` finds the positions of a group.

        The places are those among the games that were there before, but for games with the very position
        `board`. A game that scores as much stands before.
        """
        same = self._games_with(board)
        # Positions of these games, which are like it, too, must not take the place of others.
        limit = CANDIDATES + len(self._positions_of(same))
        return {run: self._ranks(self._groups[group], board, run, same, limit) for run in FeatureSet}

    def _ranks(
        self, group: Sequence[int], board: chess.Board, run: FeatureSet, same: set[int], limit: int
    ) -> Ranks:
        try:
            asked = clauses(self._index, board, run)
        except InputError:
            # Without a term of this run nothing is found.
            return [None] * len(group)
        ahead, found = 0, {}
        # Of equals, what is hidden comes last: it has the highest numbers.
        for _, (number, _) in best_of_games(candidates(self._index, asked, limit)):
            if number in group:
                found[number] = ahead + 1
            elif number <= self._last and number not in same:
                ahead += 1
        return [found.get(number) for number in group]

    def _games_with(self, board: chess.Board) -> set[int]:
        """Return the games in which the same pieces stood on the same squares, and no others."""
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
        """Return the number of the game of each position that is found."""
        searcher = self._index.searcher
        hits = searcher.search(query, self._index.count, count=False).hits
        numbers = searcher.fast_field_values("number", [address for _, address in hits])
        return [int(number) for number in numbers if number is not None]
