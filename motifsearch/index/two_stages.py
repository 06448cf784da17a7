"""Searching a large index in two stages.

The terms of a puzzle have some 100 million postings in an index of five million puzzles (one for each
document that has the term), and reading all of them takes nearly half a second. Most are those of frequent
terms, which say little: the first stage reads only the postings of the terms with the most score for their
length, and the second stage computes the exact scores of the best documents that it finds.

So the scores are exact, but a document is missed if the first stage ranks it too low. How rarely that happens
is measured by `benchmarks.search`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from tantivy import DocAddress, Query

from motifsearch.index.bm25 import Clause, Word, idf, search, search_few, search_within
from motifsearch.index.directory import Index

# Postings that the first stage reads at most, 4 to 5 ns each. With 3 million, 99 % of the best ten are among
# the best 300 of the first stage; with 9 million, all were, even where frequent terms have higher weights.
FIRST_STAGE = 8_000_000

# Documents that the second stage scores: at least this many, and some for each result that is asked for.
CANDIDATES = 500
CANDIDATES_PER_RESULT = 10

# Looking a document up in the postings of one term takes as long as reading this many postings.
LOOKUP = 50


def search_fast(
    index: Index,
    query: Sequence[Clause],
    limit: int,
    *,
    numbers: Sequence[int] | None = None,
    exact: bool = False,
) -> list[tuple[float, DocAddress]]:
    """Return the best `limit` documents with their unrounded scores, best first.

    It may miss some of them, unless `exact` or where reading all postings is as fast anyway. With `numbers`,
    only documents with these database numbers are found, even those without a term of the query.
    """
    frequencies = [index.frequency(*word) for clause in query for word in clause.boosts]
    all_postings, lookup = sum(frequencies), LOOKUP * len(frequencies)
    if numbers is not None and lookup * len(numbers) < all_postings:
        return search_few(index, query, _numbered(index, numbers), limit)
    candidates = max(CANDIDATES, CANDIDATES_PER_RESULT * limit)
    if exact or FIRST_STAGE + lookup * candidates >= all_postings:
        return _search(index, query, limit, numbers)
    found = _search(index, first_stage(index, query, FIRST_STAGE), candidates, numbers)
    known = index.values("number", [address for _, address in found])
    return search_few(index, query, _numbered(index, known), limit)


def first_stage(index: Index, query: Sequence[Clause], postings: int) -> list[Clause]:
    """Return the part of a query with the most score for its postings, of which it has at most `postings`."""
    boosts = {(n, word): boost for n, clause in enumerate(query) for word, boost in clause.boosts.items()}

    def worth(place: tuple[int, Word]) -> float:
        frequency = index.frequency(*place[1])
        # The root, since a frequent term of high weight tells more than many rare ones of tiny weights.
        return boosts[place] * idf(index, frequency) / math.sqrt(frequency)

    kept: dict[int, dict[Word, float]] = {}
    for number, word in sorted(boosts, key=worth, reverse=True):
        frequency = index.frequency(*word)
        if frequency <= postings:
            postings -= frequency
            kept.setdefault(number, {})[word] = boosts[number, word]
    return [replace(query[number], boosts=words) for number, words in kept.items()]


def _search(
    index: Index, query: Sequence[Clause], limit: int, numbers: Sequence[int] | None
) -> list[tuple[float, DocAddress]]:
    if numbers is None:
        return search(index, query, limit)
    return search_within(index, query, _numbered(index, numbers), limit)


def _numbered(index: Index, numbers: Sequence[int | None]) -> Query:
    return Query.term_set_query(index.schema, "number", numbers)
