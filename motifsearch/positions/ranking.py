"""Positions in the index by their scores: the query, the candidates, and what a score is made of.

A position can be searched for as it is and with its colours reversed. Both are scored alike: a position that
is found by reversed colours scores what it would score with its own colours reversed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

import chess
from tantivy import DocAddress, Query

from db.games import GameFilter
from motifsearch.index.bm25 import Clause, Match, Word, form_boosts, matches, rounded, search, search_within
from motifsearch.index.directory import Index
from motifsearch.index.shards import Shards
from motifsearch.positions.terms import (
    PAWN_FIELD,
    WEIGHTS,
    Family,
    FeatureSet,
    Pieces,
    pawn_terms,
    query_families,
)
from motifsearch.terms.static import reach_variants, reversed_term


class Colours(StrEnum):
    """The colours with which a position is searched for: its own only, or reversed as well."""

    SAME = "same"
    EITHER = "either"


def default_colours(games: GameFilter) -> Colours:
    """Return `EITHER`, unless the filter on games says what White or Black did.

    A player with a given colour, the side that won and openings do: in a Sicilian it is Black who plays c5. A
    drawn game, a player of either colour, ratings and dates do not.
    """
    decided = games.result in ("1-0", "0-1")
    return Colours.SAME if games.white is not None or games.eco or decided else Colours.EITHER


class Place(NamedTuple):
    """A position of an archived game: the number of the game, and the number of plies before the position."""

    number: int
    ply: int


class Candidate(NamedTuple):
    """A position that shares a term with the query, with its colours `reversed` or not."""

    score: float
    place: Place
    reversed: bool = False


@dataclass(frozen=True)
class Variant:
    """A query with or without its colours `reversed`, and the material of the positions it may find.

    The terms of the clauses are those of the query itself, also with reversed colours.
    """

    clauses: Sequence[Clause]
    reversed: bool = False
    material: str | None = None


@dataclass(frozen=True)
class Explanation:
    """What a score is made of: what each family of terms adds to it, and each term that matched, if asked."""

    parts: Mapping[str, float]
    matched: tuple[Match, ...] = ()


def variants(
    index: Shards,
    board: chess.Board,
    feature_set: FeatureSet,
    colours: Colours = Colours.SAME,
    material: str | None = None,
    pieces: Pieces = Pieces.ALL,
) -> list[Variant]:
    """Return the query for a position, as it is and, for either colours, with its colours reversed.

    `material` is what a position must have, seen as the query is: with colours reversed, so is the material.
    If `pieces` are the pawns, only they are compared, and the feature set does not matter.
    """

    def asked(*, reverse: bool) -> list[Clause]:
        if pieces is Pieces.PAWNS:
            return _pawn_clauses(index, board, reverse=reverse)
        return _clauses(index, board, feature_set, reverse=reverse)

    found = [Variant(asked(reverse=False), material=material)]
    if colours is Colours.EITHER:
        sides = material and "-".join(reversed(material.split("-")))
        found.append(Variant(asked(reverse=True), True, sides))
    return found


def _pawn_clauses(index: Shards, board: chess.Board, *, reverse: bool) -> list[Clause]:
    query = []
    for term in pawn_terms(query_families(board)[Family.PLACED]):
        forms = {Word(PAWN_FIELD, term): 1.0}
        if boosts := form_boosts(index, _reversed(forms) if reverse else forms, as_rare_as=forms):
            query.append(Clause(PAWN_FIELD, term, boosts))
    return query


def _clauses(index: Shards, board: chess.Board, feature_set: FeatureSet, *, reverse: bool) -> list[Clause]:
    """Return the terms to search for; with `reverse`, positions with reversed colours match them.

    A placement `Qf2` matches a queen on f2 and, if the feature set has reach terms, one that can move there,
    with a weight that depends on the distance. The field of a clause is the family of its term in the query.
    """
    weights, query = WEIGHTS[feature_set], []
    terms = query_families(board)
    for family in weights:
        for term, repeated in sorted(Counter(terms[family]).items()):
            forms = {Word(family, term): 1.0}
            if family is Family.PLACED and Family.REACH in weights:
                share = weights[Family.REACH] / weights[Family.PLACED]
                forms |= {
                    Word(Family.REACH, word): share * weight for word, weight in reach_variants(term).items()
                }
            searched = _reversed(forms) if reverse else forms
            if boosts := form_boosts(index, searched, as_rare_as=forms):
                weight = repeated * weights[family]
                query.append(Clause(family, term, {word: weight * boost for word, boost in boosts.items()}))
    return query


def _reversed(forms: Mapping[Word, float]) -> dict[Word, float]:
    return {Word(field, reversed_term(text)): weight for (field, text), weight in forms.items()}


def candidates(index: Shards, query: Sequence[Variant], limit: int) -> list[Candidate]:
    """Return the best `limit` positions that any variant of a query finds, best first, scores unrounded."""

    def found(shard: Index, variant: Variant) -> list[Candidate]:
        clauses = index.within(shard, variant.clauses)
        if variant.material is None:
            hits = search(shard, clauses, limit)
        else:
            only = Query.term_query(shard.schema, "material", variant.material, "basic")
            hits = search_within(shard, clauses, only, limit)
        scored = _places(shard, hits)
        return [Candidate(score, place, variant.reversed) for score, place in scored if score > 0]

    everything = chain.from_iterable(index.each(found, query))
    return sorted(everything, key=lambda candidate: -candidate.score)[:limit]


def best_of_games(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the best candidate of each game with its rounded score, best first.

    Of equal ones, those with the query's own colours come first, then the first by game and ply.
    """
    best: dict[int, Candidate] = {}
    rounded_ones = [candidate._replace(score=rounded(candidate.score)) for candidate in found]
    for candidate in sorted(rounded_ones, key=lambda one: (-one.score, one.reversed, one.place)):
        best.setdefault(candidate.place.number, candidate)
    return list(best.values())


def explanations(
    index: Shards, variant: Variant, places: Mapping[Place, int], why: bool
) -> dict[Place, Explanation]:
    """Return what the score of each place is made of, given the number of positions of its game."""
    if not places:
        return {}
    parts = {}
    for family in dict.fromkeys(clause.field for clause in variant.clauses):
        of_family = [clause for clause in variant.clauses if clause.field == family]
        parts[family] = _scores_at(index, of_family, places)
    matched = [(clause, _scores_at(index, [clause], places)) for clause in variant.clauses] if why else []
    return {
        place: Explanation(
            {family: rounded(scored[place]) for family, scored in parts.items() if scored[place]},
            matches((clause, scored[place]) for clause, scored in matched),
        )
        for place in places
    }


def _scores_at(index: Shards, query: Sequence[Clause], places: Mapping[Place, int]) -> dict[Place, float]:
    """Return the score of the clauses at each of these places, given the number of positions of its game."""

    def scored(shard: Index, clauses: Sequence[Clause]) -> list[tuple[float, Place]]:
        numbers = {place.number for place in places if index.shard_of(place.number) is shard}
        only = Query.term_set_query(shard.schema, "number", sorted(numbers))
        # All positions of these games are scored; those at the given places are kept.
        hits = search_within(shard, index.within(shard, clauses), only, sum(places.values()))
        return _places(shard, hits)

    found = {place: score for score, place in chain.from_iterable(index.each(scored, [query]))}
    return {place: found.get(place, 0.0) for place in places}


def _places(index: Index, hits: Sequence[tuple[float, DocAddress]]) -> list[tuple[float, Place]]:
    addresses = [address for _, address in hits]
    numbers = index.values("number", addresses)
    plies = index.values("ply", addresses)
    return [
        (score, Place(number, ply))
        for (score, _), number, ply in zip(hits, numbers, plies, strict=True)
        if number is not None and ply is not None
    ]
