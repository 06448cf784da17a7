"""Ranking the positions in the index: the query, the candidates, and what a score is made of.

There are two ways to find the best positions. An exhaustive search scores every position with a term of the
query. A search in two stages first scores stretches of positions (see `motifsearch.positions.index`), and
then every position of the best stretches. Two stages are faster and may miss positions:
`benchmarks.position_curve` measures how many.

A query can also be searched for with its colours reversed. A position that is found by reversed colours has
the score that it would have with its own colours reversed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import chain
from typing import NamedTuple

import chess
from tantivy import DocAddress, Occur, Query

from motifsearch.index.bm25 import (
    Clause,
    Counts,
    Match,
    Word,
    form_boosts,
    idf,
    matches,
    rounded,
    search,
    search_few,
    search_within,
)
from motifsearch.index.directory import Index
from motifsearch.index.shards import CountsOfAll, Shards, counts_of, within
from motifsearch.positions.index import STRETCH, STRETCH_NUMBER, STRETCH_TERMS, number_of, stretch_of
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

# Stretches whose positions are scored, in all shards together. With half as many, 98 % instead of 99 % of the
# ten best games are found, in three quarters of the time.
STRETCHES = 1600

# Looking up a stretch in the postings of a term takes as long as reading this many postings.
STRETCH_LOOKUP = 100


class Colours(StrEnum):
    """Whether a position is searched for with its own colours only, or with reversed colours as well."""

    SAME = "same"
    EITHER = "either"


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

    The terms of the clauses are in the query's own colours in either case. `counts` has the frequencies of
    the clauses' words in all shards.
    """

    clauses: Sequence[Clause]
    counts: CountsOfAll
    reversed: bool = False
    material: str | None = None


@dataclass(frozen=True)
class Explanation:
    """What a score is made of: what each family of terms adds to the score and, on request, each term."""

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
    """Return the query for a position, and for `Colours.EITHER` also the query with its colours reversed.

    `material` is the material that positions must have, reversed where the colours are. If `pieces` is
    `Pieces.PAWNS`, only pawns are compared, and the feature set does not matter.
    """
    asked = _pawn_clauses(board) if pieces is Pieces.PAWNS else _clauses(board, feature_set)
    searched = {False: asked}
    if colours is Colours.EITHER:
        searched[True] = [replace(clause, boosts=_reversed(clause.boosts)) for clause in asked]
    words = (word for clauses in searched.values() for clause in clauses for word in clause.boosts)
    counts = counts_of(index, words)
    found = []
    for reverse, clauses in searched.items():
        scored = [
            replace(clause, boosts=boosts)
            for clause, own in zip(clauses, asked, strict=True)
            if (boosts := form_boosts(counts, clause.boosts, as_rare_as=own.boosts))
        ]
        sides = material and "-".join(reversed(material.split("-"))) if reverse else material
        found.append(Variant(scored, counts, reverse, sides))
    return found


def _pawn_clauses(board: chess.Board) -> list[Clause]:
    terms = pawn_terms(query_families(board)[Family.PLACED])
    return [Clause(PAWN_FIELD, term, {Word(PAWN_FIELD, term): 1.0}) for term in terms]


def _clauses(board: chess.Board, feature_set: FeatureSet) -> list[Clause]:
    """Return the terms to search for, each with the weights of the words that match it.

    A placement `Qf2` matches a queen on f2 and, if the feature set has reach terms, a queen that can move to
    f2, weighted by the distance. The field of a clause is the family of its term in the query.
    """
    weights, query = WEIGHTS[feature_set], []
    terms = query_families(board)
    for family in weights:
        for term, repeated in sorted(Counter(terms[family]).items()):
            forms = {Word(family, term): repeated * weights[family]}
            if family is Family.PLACED and Family.REACH in weights:
                share = repeated * weights[Family.REACH]
                forms |= {
                    Word(Family.REACH, word): share * weight for word, weight in reach_variants(term).items()
                }
            query.append(Clause(family, term, forms))
    return query


def _reversed(forms: Mapping[Word, float]) -> dict[Word, float]:
    return {Word(field, reversed_term(text)): weight for (field, text), weight in forms.items()}


def likely_candidates(index: Shards, query: Sequence[Variant], limit: int) -> list[Candidate]:
    """Return the best `limit` positions of the best stretches, best first, with unrounded scores.

    The scores are those of an exhaustive search. The query must be for all pieces and any material.
    """
    everything = chain.from_iterable(index.each(partial(_likely_candidates, limit=limit), query))
    return sorted(everything, key=lambda candidate: -candidate.score)[:limit]


def _likely_candidates(shard: Index, variant: Variant, limit: int) -> list[Candidate]:
    clauses = within(shard, variant.clauses, variant.counts)
    # Documents are divided evenly among the shards.
    stretches = _stretches(shard, clauses, math.ceil(STRETCHES * shard.count / variant.counts.count))
    hits = _search_stretches(shard, clauses, stretches, limit)
    return [Candidate(score, place, variant.reversed) for score, place in hits if score > 0]


def _stretches(shard: Index, clauses: Sequence[Clause], limit: int) -> list[int]:
    """Return the numbers of the `limit` stretches whose terms are worth most together.

    The worth of a term is by its frequency among positions, not among stretches.
    """
    terms = []
    for word, boost in (pair for clause in clauses for pair in clause.boosts.items()):
        number = number_of(word.text)
        worth = boost * idf(shard, shard.frequency(*word))
        term = Query.term_query(shard.schema, STRETCH_TERMS, number, "basic")
        boosted = Query.boost_query(term, worth / idf(shard, shard.frequency(STRETCH_TERMS, number)))
        terms.append((Occur.Should, boosted))
    hits = shard.search(Query.boolean_query(terms), limit)
    numbers = shard.values(STRETCH_NUMBER, [address for _, address in hits])
    return [number for number in numbers if number is not None]


def stages_are_faster(query: Sequence[Variant]) -> bool:
    """Return whether `likely_candidates` is faster than `candidates`, as in a large index."""
    words = [(variant, word) for variant in query for clause in variant.clauses for word in clause.boosts]
    postings = sum(variant.counts.frequency(*word) for variant, word in words)
    return STRETCH_LOOKUP * STRETCHES * len(words) < postings


def candidates(index: Shards, query: Sequence[Variant], limit: int) -> list[Candidate]:
    """Return the best `limit` positions for any variant of a query, best first, with unrounded scores."""
    everything = chain.from_iterable(index.each(partial(_candidates, limit=limit), query))
    return sorted(everything, key=lambda candidate: -candidate.score)[:limit]


def _candidates(shard: Index, variant: Variant, limit: int) -> list[Candidate]:
    clauses = within(shard, variant.clauses, variant.counts)
    if variant.material is None:
        hits = search(shard, clauses, limit)
    else:
        only = Query.term_query(shard.schema, "material", variant.material, "basic")
        hits = search_within(shard, clauses, only, limit)
    return [Candidate(score, place, variant.reversed) for score, place in _places(shard, hits) if score > 0]


def best_of_games(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the best candidate of each game with its rounded score, best first.

    Ties are broken by colours (the query's own first), then by game and ply.
    """
    best: dict[int, Candidate] = {}
    rounded_ones = [candidate._replace(score=rounded(candidate.score)) for candidate in found]
    for candidate in sorted(rounded_ones, key=lambda one: (-one.score, one.reversed, one.place)):
        best.setdefault(candidate.place.number, candidate)
    return list(best.values())


def explanations(index: Shards, variant: Variant, places: Set[Place], why: bool) -> dict[Place, Explanation]:
    """Return what the score of each place is made of."""
    if not places:
        return {}
    by_family: dict[str, list[Clause]] = {}
    for clause in variant.clauses:
        by_family.setdefault(clause.field, []).append(clause)
    one_by_one = [[clause] for clause in variant.clauses] if why else []
    scored = _scores_at(index, [*by_family.values(), *one_by_one], variant.counts, places)
    parts, matched = scored[: len(by_family)], scored[len(by_family) :]
    return {
        place: Explanation(
            {
                family: rounded(part[place])
                for family, part in zip(by_family, parts, strict=True)
                if place in part
            },
            matches(
                (clause, part.get(place, 0.0)) for (clause,), part in zip(one_by_one, matched, strict=True)
            ),
        )
        for place in places
    }


def _scores_at(
    index: Shards, queries: Sequence[Sequence[Clause]], counts: Counts, places: Set[Place]
) -> list[dict[Place, float]]:
    """Return the scores of each query at the places that it matches (see `explanations`)."""
    found = index.each(partial(_scores_in, counts=counts, places=places), queries)
    return [dict(chain.from_iterable(found[n :: len(queries)])) for n in range(len(queries))]


def _scores_in(
    shard: Index, query: Sequence[Clause], counts: Counts, places: Set[Place]
) -> list[tuple[Place, float]]:
    # All positions of the places' stretches are scored, but only those at the places are kept.
    stretches = sorted({stretch_of(*place) for place in places})
    hits = _search_stretches(shard, within(shard, query, counts), stretches, STRETCH * len(stretches))
    return [(place, score) for score, place in hits if place in places and score]


def _search_stretches(
    shard: Index, clauses: Sequence[Clause], stretches: Sequence[int], limit: int
) -> list[tuple[float, Place]]:
    """Return the best `limit` positions of some stretches, given their numbers."""
    only = Query.term_set_query(shard.schema, STRETCH_NUMBER, stretches)
    return _places(shard, search_few(shard, clauses, only, limit))


def _places(index: Index, hits: Sequence[tuple[float, DocAddress]]) -> list[tuple[float, Place]]:
    addresses = [address for _, address in hits]
    numbers = index.values("number", addresses)
    plies = index.values("ply", addresses)
    return [
        (score, Place(number, ply))
        for (score, _), number, ply in zip(hits, numbers, plies, strict=True)
        if number is not None and ply is not None
    ]
