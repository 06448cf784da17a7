"""BM25 over an index, as in Tantivy (k1 = 1.2, b = 0.75): queries of weighted terms, and their scores.

Scores are 32-bit floats in Tantivy; `rounded` to `DIGITS`, documents with the same terms have the same score.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tantivy import DocAddress, Occur, Query

from motifsearch.index.directory import FREQUENCIES, Index

# Decimals of a score; 32-bit sums of a few hundred terms are exact to about four.
DIGITS = 3


class Word(NamedTuple):
    """A term in the index, with its field."""

    field: str
    text: str


@dataclass(frozen=True)
class Clause:
    """One term of a query with the words in the index that match it, each with its boost."""

    field: str
    term: str
    answers: Mapping[Word, float]


def answers(index: Index, forms: Mapping[Word, float]) -> dict[Word, float]:
    """Return the boosts with which the forms of a term score as weighted occurrences of one term.

    Forms are words of their own in the index, so their boosts are weight × idf(any form) / idf(this form).
    Forms that occur in no document are left out; a term with a single form keeps its weight.
    """
    seen = {form: index.searcher.doc_freq(form.field, form.text) for form in forms}
    in_any_form = idf(index, sum(seen.values()))
    return {
        form: weight * in_any_form / idf(index, seen[form]) for form, weight in forms.items() if seen[form]
    }


def idf(index: Index, frequency: int) -> float:
    """Return Tantivy's idf of a term that occurs in `frequency` documents (at most all of them)."""
    total = index.count
    frequency = min(frequency, total)
    return math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))


def search(index: Index, query: Sequence[Clause], limit: int) -> list[tuple[float, DocAddress]]:
    """Return the best `limit` documents with their unrounded scores, best first."""
    return _run(index, any_of(index, query), limit) if query else []


def search_within(
    index: Index, query: Sequence[Clause], only: Query, limit: int
) -> list[tuple[float, DocAddress]]:
    """Return the best `limit` of the documents that match `only`, which does not add to their scores."""
    parts = [(Occur.Must, Query.const_score_query(only, 0.0))]
    if query:
        parts.append((Occur.Should, any_of(index, query)))
    return _run(index, Query.boolean_query(parts), limit)


def any_of(index: Index, query: Iterable[Clause]) -> Query:
    """Return the clauses as one query."""
    # One flat union is fastest in Tantivy.
    return Query.boolean_query([(Occur.Should, part) for clause in query for part in _parts(index, clause)])


def rounded(score: float) -> float:
    """Return a score that does not depend on the order of summation."""
    return round(score, DIGITS)


def _run(index: Index, query: Query, limit: int) -> list[tuple[float, DocAddress]]:
    # Tantivy allocates memory for `limit` documents, however few there are.
    limit = min(limit, index.count)
    if limit < 1:
        return []
    hits = index.searcher.search(query, limit, count=False).hits
    return [(float(score), address) for score, address in hits]


def _parts(index: Index, clause: Clause) -> Iterator[Query]:
    for word, boost in clause.answers.items():
        term = Query.term_query(index.schema, word.field, word.text, FREQUENCIES)
        yield Query.boost_query(term, boost)
