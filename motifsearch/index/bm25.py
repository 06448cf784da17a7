"""BM25 as Tantivy computes it (k1 = 1.2, b = 0.75): queries of weighted terms, and the documents they find.

Tantivy's scores are 32-bit floats. Scores are `rounded`, so that documents with the same terms have the same
score.

A large index is searched by rescoring. In an index of five million puzzles, the terms of a puzzle have about
100 million postings (one for each document that has the term), and reading all of them takes nearly half a
second. Most postings are those of frequent terms, which say little. Therefore the terms with the most score
for their postings find candidates, whose exact scores are then computed. A document that is not a candidate
is missed; `benchmarks.search` measures how rarely that happens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from operator import itemgetter
from typing import NamedTuple, Protocol, TypeVar

from tantivy import DocAddress, Occur, Query

from motifsearch.index.directory import FREQUENCIES, Index

T = TypeVar("T")

# Tantivy's fixed parameters: how soon repetitions of a term count less, and how much the length of a document
# counts.
K1, B = 1.2, 0.75

# Decimals of a rounded score; 32-bit sums of a few hundred terms are exact to about four.
DIGITS = 3

# The most postings that are read to find candidates, 4 to 5 ns each. Among 5.5 million puzzles, .991 of the
# best ten are found with 3 million, and all with 5 or 8 million (100 queries).
CANDIDATE_POSTINGS = 5_000_000

# Candidates that are rescored: at least this many, and a number for each result.
CANDIDATES = 500
CANDIDATES_PER_RESULT = 10

# Looking a document up in the postings of one term takes as long as reading this many postings.
LOOKUP = 50

# Documents that the first step of a search in two steps finds for each result. Among 65,000 puzzles, 98 of
# 100 searches for ten then need no search for everything.
FIRST_PER_RESULT = 15

# The most documents that the first step finds, and that a query names one by one, which is faster than as a
# set.
FEW = 1500

# Each further search asks for more results by this factor.
OVERFETCH_FACTOR = 8


class Counts(Protocol):
    """Document counts of one or several indexes, on which the weight of a term depends."""

    @property
    def count(self) -> int:
        """The number of documents."""

    def frequency(self, field: str, term: str) -> int:
        """Return the number of documents that contain a term."""


class Word(NamedTuple):
    """A term in the index, with its field."""

    field: str
    text: str


@dataclass(frozen=True)
class Clause:
    """One term of a query, with the boost of each word in the index that matches it."""

    field: str
    term: str
    boosts: Mapping[Word, float]


@dataclass(frozen=True)
class Match:
    """A term that the query and a document share, with its field, and what it adds to the score.

    The scores of terms are not rounded, so that many small scores still add up to the whole.
    """

    field: str
    term: str
    score: float


def form_boosts(
    index: Counts, forms: Mapping[Word, float], as_rare_as: Iterable[Word] | None = None
) -> dict[Word, float]:
    """Return the boosts with which the forms of a term score as weighted occurrences of one term.

    `forms` has the weight of each form. In the index, each form is a separate word with its own idf, so its
    boost is weight × idf(any form) / idf(this form). Forms that occur in no document are left out; a term
    with a single form keeps its weight. With `as_rare_as`, the forms score as if they occurred in as many
    documents as those words.
    """
    frequencies = {form: index.frequency(form.field, form.text) for form in forms}
    if as_rare_as is None:
        total = sum(frequencies.values())
    else:
        total = sum(index.frequency(word.field, word.text) for word in as_rare_as)
    idf_of_any = idf(index, total)
    return {
        form: weight * idf_of_any / idf(index, frequencies[form])
        for form, weight in forms.items()
        if frequencies[form]
    }


def idf(index: Counts, frequency: int) -> float:
    """Return Tantivy's idf of a term that occurs in `frequency` documents (at most all of them)."""
    return _idf(index.count, frequency)


@lru_cache(10_000)
def _idf(total: int, frequency: int) -> float:
    frequency = min(frequency, total)
    return math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))


def term_score(index: Index, frequency: int, times: int, relative_length: float) -> float:
    """Return Tantivy's score of a term in `frequency` documents, for a document that has it `times` times.

    `relative_length` is the length of the document's field, divided by the average length.
    """
    return idf(index, frequency) * times * (K1 + 1) / (times + K1 * (1 - B + B * relative_length))


def average_length(index: Index, word: Word) -> float:
    """Return the average length of the field of a word, which must occur in the index."""
    query = Query.term_query(index.schema, word.field, word.text, FREQUENCIES)
    return index.remembered(("length", word.field), partial(index.explained, query, "avgdl"))


def search(index: Index, query: Sequence[Clause], limit: int) -> list[tuple[float, DocAddress]]:
    """Return the best `limit` documents with their unrounded scores, best first."""
    return index.search(_any_of(index, query), limit) if query else []


def search_within(
    index: Index, query: Sequence[Clause], only: Query, limit: int
) -> list[tuple[float, DocAddress]]:
    """Return the best `limit` of the documents that match `only`; the scores are those of `query` alone."""
    parts = [(Occur.Must, Query.const_score_query(only, 0.0))]
    if query:
        parts.append((Occur.Should, _any_of(index, query)))
    return index.search(Query.boolean_query(parts), limit)


def search_few(
    index: Index, query: Sequence[Clause], only: Query, limit: int
) -> list[tuple[float, DocAddress]]:
    """Return the results of `search_within`, faster if at most a few hundred documents match `only`.

    Each of these documents is looked up in the postings of each term: a document must match `only` and, for
    each term, everything or the term. The union of `search_within` would read all postings in the
    neighbourhood (4,096 documents) of each document.
    """
    everything = (Occur.Must, Query.const_score_query(Query.all_query(), 0.0))
    terms = [
        Query.boolean_query([everything, (Occur.Should, part)])
        for clause in query
        for part in _parts(index, clause)
    ]
    filtered = Query.const_score_query(only, 0.0)
    return index.search(Query.boolean_query([(Occur.Must, part) for part in (filtered, *terms)]), limit)


def search_fast(
    index: Index,
    query: Sequence[Clause],
    limit: int,
    *,
    numbers: Sequence[int] | None = None,
    exact: bool = False,
    candidates_per_result: int = CANDIDATES_PER_RESULT,
) -> list[tuple[float, DocAddress]]:
    """Return the best `limit` documents with their unrounded scores, best first; rescore if that is faster.

    Rescoring may miss some of the best documents; an `exact` search never does it. With `numbers`, only
    documents with these database numbers are found, even those without a term of the query.
    """

    def found(part: Sequence[Clause], most: int) -> list[tuple[float, DocAddress]]:
        if numbers is None:
            return search(index, part, most)
        return search_within(index, part, one_of(index, "number", numbers), most)

    frequencies = [index.frequency(*word) for clause in query for word in clause.boosts]
    all_postings, lookup = sum(frequencies), LOOKUP * len(frequencies)
    if numbers is not None and lookup * len(numbers) < all_postings:
        return search_few(index, query, one_of(index, "number", numbers), limit)
    most = max(CANDIDATES, candidates_per_result * limit)
    if exact or CANDIDATE_POSTINGS + lookup * most >= all_postings:
        return found(query, limit)
    candidates = found(cheapest_part(index, query, CANDIDATE_POSTINGS), most)
    known = index.values("number", [address for _, address in candidates])
    return search_few(index, query, one_of(index, "number", known), limit)


def search_in_steps(
    index: Index,
    query: Sequence[Clause],
    later: Container[str],
    limit: int,
    *,
    numbers: Sequence[int] | None = None,
    exact: bool = False,
) -> list[tuple[float, float, DocAddress]]:
    """Return the results of `search_fast`, each with its score and the score without the fields `later`.

    The other fields are searched first. The fields `later` are looked up only in the documents that they
    could bring among the best (see `highest`). If there are too many of these, or the search is to be
    `exact`, all fields are searched at once.
    """
    first = [clause for clause in query if clause.field not in later]
    rest = [clause for clause in query if clause.field in later]
    most = FIRST_PER_RESULT * limit
    if first and rest and most <= FEW and not exact:
        hits = search_fast(index, first, most, numbers=numbers, candidates_per_result=1)
        # A document that was not found scores at most as much as the last one.
        if len(hits) == most and hits[-1][0] < (lowest := hits[limit - 1][0] - highest(index, rest)):
            close = [hit for hit in hits if hit[0] >= lowest]
            both = [(part + more, part, address) for part, more, address in _with(index, rest, close)]
            return sorted(both, key=itemgetter(0), reverse=True)[:limit]
    hits = search_fast(index, query, limit, numbers=numbers, exact=exact)
    return [(score, max(0.0, score - more), address) for score, more, address in _with(index, rest, hits)]


def highest(index: Index, query: Iterable[Clause]) -> float:
    """Return a score that no document reaches.

    However often a document has a word, and however short it is, the word scores less than K1 + 1 times its
    boost and idf.
    """
    boosts = [item for clause in query for item in clause.boosts.items()]
    return (K1 + 1) * sum(boost * idf(index, index.frequency(*word)) for word, boost in boosts)


def _with(
    index: Index, query: Sequence[Clause], hits: Sequence[tuple[float, DocAddress]]
) -> Iterator[tuple[float, float, DocAddress]]:
    """Yield each of these results with the score of another query, 0 if no term matches."""
    only = one_of(index, "number", index.values("number", [address for _, address in hits]))
    few = search_few(index, query, only, len(hits)) if query else []
    # Addresses cannot be the keys of a dict.
    scores = {(address.segment_ord, address.doc): score for score, address in few}
    for score, address in hits:
        yield score, scores.get((address.segment_ord, address.doc), 0.0), address


def cheapest_part(index: Index, query: Sequence[Clause], postings: int) -> list[Clause]:
    """Return the part of a query that has the most score and at most `postings` postings."""
    boosts = {(n, word): boost for n, clause in enumerate(query) for word, boost in clause.boosts.items()}

    def worth(place: tuple[int, Word]) -> float:
        frequency = index.frequency(*place[1])
        # The root, since a frequent term of high weight says more than many rare terms of tiny weights.
        return boosts[place] * idf(index, frequency) / math.sqrt(frequency)

    kept: dict[int, dict[Word, float]] = {}
    for number, word in sorted(boosts, key=worth, reverse=True):
        frequency = index.frequency(*word)
        if frequency <= postings:
            postings -= frequency
            kept.setdefault(number, {})[word] = boosts[number, word]
    return [replace(query[number], boosts=words) for number, words in kept.items()]


def overfetch(best: Callable[[int], Sequence[T]], limit: int) -> Iterator[Sequence[T]]:
    """Yield the best `limit` results, then `OVERFETCH_FACTOR` times as many, until there are no more.

    `best(n)` returns the best n results. The caller leaves the loop when there are enough usable results.
    """
    while True:
        results = best(limit)
        yield results
        if len(results) < limit:
            return
        limit *= OVERFETCH_FACTOR


def matches(scored: Iterable[tuple[Clause, float]]) -> tuple[Match, ...]:
    """Return the clauses that add to the score of a document, given what each adds; the largest first."""
    shared = [Match(clause.field, clause.term, score) for clause, score in scored if score > 0]
    return tuple(sorted(shared, key=lambda match: (-match.score, match.field, match.term)))


def rounded(score: float) -> float:
    """Return a score rounded to `DIGITS`, so that the order of summation does not matter."""
    return round(score, DIGITS)


def _any_of(index: Index, query: Iterable[Clause]) -> Query:
    """Return a query that matches documents with any of the clauses, and adds up their scores."""
    # One flat union is fastest in Tantivy.
    return Query.boolean_query([(Occur.Should, part) for clause in query for part in _parts(index, clause)])


def _parts(index: Index, clause: Clause) -> Iterator[Query]:
    corrected = index.count < index.count_with_deleted
    for word, boost in clause.boosts.items():
        term = Query.term_query(index.schema, word.field, word.text, FREQUENCIES)
        if corrected:
            boost *= index.remembered(("correction", word), partial(_correction, index, word))
        yield Query.boost_query(term, boost)


def _correction(index: Index, word: Word) -> float:
    """Return the idf of a word, divided by Tantivy's idf, in which deleted documents count."""
    tantivys = _idf(index.count_with_deleted, index.frequency_with_deleted(*word))
    return idf(index, index.frequency(*word)) / tantivys


def one_of(index: Index, field: str, values: Sequence[str | int | None]) -> Query:
    """Return a query that matches the documents whose `field` is one of the values."""
    if len(values) > FEW:
        return Query.term_set_query(index.schema, field, values)
    each = (Query.term_query(index.schema, field, value, "basic") for value in values)
    return Query.boolean_query([(Occur.Should, one) for one in each])
