"""Ranking: a puzzle's terms as one BM25 query over the index (k1 = 1.2, b = 0.75, as in Tantivy).

A term that occurs n times in the query counts n times. Terms that occur in no document do not count. Scores
are rounded, so that documents with the same terms have the same score, and normalised by the score of the
query against itself. The weights of the fields are in `motifsearch.terms.weights`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from tantivy import DocAddress

from motifsearch.index.bm25 import (
    Clause,
    Match,
    Word,
    average_length,
    form_boosts,
    matches,
    one_of,
    overfetch,
    rounded,
    search_few,
    search_in_steps,
    term_score,
)
from motifsearch.index.directory import Index
from motifsearch.search import By
from motifsearch.terms.encoding import query_terms
from motifsearch.terms.static import is_placement, reach_variants
from motifsearch.terms.weights import DYNAMIC_FIELDS, FIELDS, STATIC_FIELDS, Encoding

# If an encoding drops common terms, terms that more than a quarter of all puzzles have are not searched:
# common terms change no measured figure, and are nearly two thirds of the postings. In a small index, too
# many terms would be common, and dropping them would save nothing.
COMMON = 0.25
FEW_PUZZLES = 10_000


FIELDS_BY: dict[By, tuple[str, ...]] = {
    By.COMBINED: FIELDS,
    By.DYNAMIC: DYNAMIC_FIELDS,
    By.STATIC: STATIC_FIELDS,
}


class Ranked(NamedTuple):
    """The id of a document with its score, and the part of the score that is `dynamic`."""

    key: str
    score: float
    dynamic: float


def clauses(
    index: Index, terms: Mapping[str, Sequence[str]], encoding: Encoding, fields: Iterable[str] = FIELDS
) -> list[Clause]:
    """Return the query for terms by field (`terms.query_terms`), limited to some `fields`.

    A placement `Qf2` matches a queen on f2 and a queen that can move to f2, weighted by the distance (Ganguly
    et al., SIGIR 2014). The index has a term for each weight (see `bm25.form_boosts`).
    """
    query = []
    for field in fields:
        for term, repeated in Counter(terms.get(field, ())).items():
            key = ("clause", field, term, repeated, encoding.name)
            query.append(index.remembered(key, partial(_clause, index, field, term, repeated, encoding)))
    return [clause for clause in query if clause.boosts]


def _clause(index: Index, field: str, term: str, repeated: int, encoding: Encoding) -> Clause:
    """Return a term that the query has so many times, without boosts if it is not searched."""
    if _is_dropped(index, field, term, encoding):
        return Clause(field, term, {})
    reach = reach_variants(term) if field == "static_positions" and is_placement(term) else {}
    weight = encoding.weights[field] * repeated
    forms = {Word(field, word): weight * part for word, part in {term: 1.0, **reach}.items()}
    return Clause(field, term, form_boosts(index, forms))


def _is_dropped(index: Index, field: str, term: str, encoding: Encoding) -> bool:
    """Return whether a term is too common to be searched."""
    if not encoding.drops_common or index.count < FEW_PUZZLES:
        return False
    return index.frequency(field, term) > COMMON * index.count


def best(
    index: Index,
    query: Sequence[Clause],
    k: int,
    without: str = "",
    *,
    numbers: Sequence[int] | None = None,
    exact: bool = False,
) -> list[Ranked]:
    """Return the `k` best documents, best first, leaving out `without`.

    With `numbers`, only puzzles with these database numbers are found. In a large index, a search that is not
    `exact` may miss a few of the best (see `bm25.search_fast`). Ties are broken by id, also at place `k`.
    """
    needed = k + 1 if without else k

    def found(limit: int) -> list[tuple[float, float, DocAddress]]:
        hits = search_in_steps(index, query, STATIC_FIELDS, limit, numbers=numbers, exact=exact)
        return [(rounded(score), rounded(part), address) for score, part, address in hits if score > 0]

    # One more result than needed shows whether the k-th place is tied.
    for hits in overfetch(found, needed + 1):
        if len(hits) > needed and hits[-1][0] < hits[needed - 1][0]:
            break
    lowest = hits[needed - 1][0] if len(hits) >= needed else 0.0
    ranked = [
        Ranked(index.stored("key", address), score, part) for score, part, address in hits if score >= lowest
    ]
    ranked.sort(key=lambda one: (-one.score, one.key))
    return [one for one in ranked if one.key != without][:k]


def scores(index: Index, query: Sequence[Clause], keys: Sequence[str]) -> dict[str, float]:
    """Return the score of the query for each of these documents; 0 where no term matches."""
    return {key: rounded(score) for key, score in _scores(index, query, keys).items()}


def matches_in(index: Index, query: Iterable[Clause], keys: Sequence[str]) -> dict[str, tuple[Match, ...]]:
    """Return the terms that each of these documents shares with the query."""
    scored = [(clause, _scores(index, [clause], keys)) for clause in query]
    return {key: matches((clause, by_key[key]) for clause, by_key in scored) for key in keys}


def _scores(index: Index, query: Sequence[Clause], keys: Sequence[str]) -> dict[str, float]:
    if not query or not keys:
        return dict.fromkeys(keys, 0.0)
    hits = search_few(index, query, one_of(index, "key", keys), len(keys))
    return {index.stored("key", address): score for score, address in hits}


def own_score(
    index: Index, document: Mapping[str, Sequence[str]], encoding: Encoding, fields: Iterable[str]
) -> float:
    """Return the score that a puzzle with these terms by field would have against itself in the index.

    Terms that no other puzzle has count, too: the more of them a puzzle has, the less any result is like it.
    """
    asked, total = query_terms(document), 0.0
    for field in fields:
        if field not in asked:
            continue
        frequencies = {term: index.frequency(field, term) for term in asked[field]}
        known = next((term for term, frequency in frequencies.items() if frequency), None)
        length = len(document[field])
        relative_length = length / average_length(index, Word(field, known)) if known else 1.0
        for term, times in Counter(asked[field]).items():
            if _is_dropped(index, field, term, encoding):
                continue
            # As a document, the puzzle has each term as often as in the query.
            score = term_score(index, frequencies[term], times, relative_length)
            total += encoding.weights[field] * times * score
    return total
