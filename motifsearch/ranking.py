"""Scoring: a puzzle's terms as one BM25 query over the index (k1 = 1.2, b = 0.75, as Tantivy has them).

A term that a query holds n times counts n times, as if it stood n times in the query. Terms that no
document holds do not matter.

Scores are 32-bit floats inside Tantivy. `best` and `scores` round them to `DIGITS`, so that documents
with the same terms have the same score.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tantivy import DocAddress, Occur, Query

from motifsearch.index import FREQUENCIES, Index
from motifsearch.terms import DYNAMIC_FIELDS, FIELDS, STATIC_FIELDS, Mode
from motifsearch.terms.static import is_placement, reach_variants

# What a field's terms count. Paper: all alike (Bizjak & Guid 2021). Default: chosen for theme agreement
# and for finding moved teaching versions at once, see docs/similarity.md; where all count alike, the many
# terms of the position drown the few that make the motif.
FIELD_WEIGHTS: dict[Mode, dict[str, float]] = {
    Mode.PAPER: {
        "static_positions": 1.0,
        "static_pawns": 1.0,
        "dynamic_general": 1.0,
        "dynamic_solution": 1.0,
    },
    Mode.DEFAULT: {
        "static_positions": 0.02,
        "static_pawns": 0.1,
        "dynamic_general": 1.0,
        "dynamic_solution": 0.45,
        "motif_relations": 1.8,
        "motif_mate": 2.6,
        "motif_king": 1.0,
        "motif_men": 0.3,
        "motif_captures": 0.15,
        "motif_shape": 1.0,
    },
}

# Decimals of a score; 32-bit sums of some hundred terms are exact to about four.
DIGITS = 3


class By(StrEnum):
    """Which terms decide the order."""

    COMBINED = "combined"
    DYNAMIC = "dynamic"
    STATIC = "static"


FIELDS_BY: dict[By, tuple[str, ...]] = {
    By.COMBINED: FIELDS,
    By.DYNAMIC: DYNAMIC_FIELDS,
    By.STATIC: STATIC_FIELDS,
}


@dataclass(frozen=True)
class Clause:
    """One term of a query with the indexed terms that answer it, each with its boost."""

    field: str
    term: str
    answers: Mapping[str, float]


def clauses(
    index: Index, terms: Mapping[str, Sequence[str]], mode: Mode, fields: Iterable[str] = FIELDS
) -> list[Clause]:
    """Return the query for terms by field (`terms.query_terms`), limited to some `fields`.

    A placement `Qf2` is answered by a queen on f2 and, with the weight of the distance, by one that can
    move there (Ganguly et al., SIGIR 2014). The weighted terms are terms of their own in the
    index; so that each scores as an occurrence of `Qf2` with its weight would, its boost is
    weight × idf(`Qf2` in any form) / idf(itself).
    """
    found = []
    weights = FIELD_WEIGHTS[mode]
    for field in fields:
        for term, repeated in Counter(terms.get(field, ())).items():
            weight = weights[field] * repeated
            answers = _answers(index, field, term)
            if answers:
                found.append(Clause(field, term, {word: weight * part for word, part in answers.items()}))
    return found


def search(index: Index, query: Sequence[Clause], limit: int) -> list[tuple[float, DocAddress]]:
    """Return the best `limit` documents with their unrounded scores, best first."""
    # Tantivy makes room for as many as are asked for.
    limit = min(limit, index.count)
    if not query or limit < 1:
        return []
    hits = index.searcher.search(_any_of(index, query), limit, count=False).hits
    return [(float(score), address) for score, address in hits]


def key_of(index: Index, address: DocAddress) -> str:
    """Return the id of the puzzle that a document stands for."""
    return str(index.searcher.doc(address)["key"][0])


def best(index: Index, query: Sequence[Clause], k: int, without: str = "") -> list[str]:
    """Return the ids of the `k` best documents, leaving out `without`.

    Ties across the k-th place go by id, whatever the order of documents in the index.
    """
    wanted = k + 1 if without else k
    limit = wanted
    while True:
        # One more than needed shows whether the last place is tied.
        hits = [(_rounded(score), address) for score, address in search(index, query, limit + 1)]
        if len(hits) <= limit or hits[-1][0] < hits[wanted - 1][0]:
            break
        limit *= 4
    tied = hits[wanted - 1][0] if len(hits) >= wanted else 0.0
    ranked = sorted((-score, key_of(index, address)) for score, address in hits if score >= tied)
    return [key for _, key in ranked if key != without][:k]


def scores(index: Index, query: Sequence[Clause], keys: Sequence[str]) -> dict[str, float]:
    """Return what the query scores for each of these documents; 0 where no term matches."""
    return {key: _rounded(score) for key, score in _scores(index, query, keys).items()}


def contributions(
    index: Index, query: Iterable[Clause], keys: Sequence[str]
) -> dict[str, list[tuple[Clause, float]]]:
    """Return for each document the terms that match and what each adds to its score, largest first.

    Unrounded, so that many small ones still add up to the score.
    """
    found: dict[str, list[tuple[Clause, float]]] = {key: [] for key in keys}
    for clause in query:
        for key, score in _scores(index, [clause], keys).items():
            if score > 0:
                found[key].append((clause, score))
    for matched in found.values():
        matched.sort(key=lambda item: (-item[1], item[0].field, item[0].term))
    return found


def _scores(index: Index, query: Sequence[Clause], keys: Sequence[str]) -> dict[str, float]:
    if not query or not keys:
        return dict.fromkeys(keys, 0.0)
    # A filter must score nothing itself.
    only = Query.const_score_query(Query.term_set_query(index.schema, "key", list(keys)), 0.0)
    restricted = Query.boolean_query([(Occur.Must, only), (Occur.Should, _any_of(index, query))])
    hits = index.searcher.search(restricted, len(keys), count=False).hits
    return {key_of(index, address): float(score) for score, address in hits}


def _answers(index: Index, field: str, term: str) -> dict[str, float]:
    own = index.searcher.doc_freq(field, term)
    answers = {term: 1.0} if own else {}
    if field != "static_positions" or not is_placement(term):
        return answers
    variants = [
        (variant, weight, frequency)
        for variant, weight in reach_variants(term).items()
        if (frequency := index.searcher.doc_freq(field, variant))
    ]
    in_any_form = _idf(index, own + sum(frequency for _, _, frequency in variants))
    if own:
        answers[term] = in_any_form / _idf(index, own)
    for variant, weight, frequency in variants:
        answers[variant] = weight * in_any_form / _idf(index, frequency)
    return answers


def _idf(index: Index, frequency: int) -> float:
    """Tantivy's BM25 idf, for a term that is in `frequency` documents, or in all if that is more."""
    total = index.count
    frequency = min(frequency, total)
    return math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))


def _any_of(index: Index, query: Iterable[Clause]) -> Query:
    # One flat union: Tantivy is fastest on such.
    return Query.boolean_query([(Occur.Should, part) for clause in query for part in _parts(index, clause)])


def _parts(index: Index, clause: Clause) -> Iterator[Query]:
    for word, boost in clause.answers.items():
        term = Query.term_query(index.schema, clause.field, word, FREQUENCIES)
        yield Query.boost_query(term, boost)


def _rounded(score: float) -> float:
    return round(score, DIGITS)
