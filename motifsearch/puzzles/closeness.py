"""How close a result is to the query: its share of what the query would score against itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from motifsearch.index.bm25 import Word, average_length, term_score
from motifsearch.index.directory import Index
from motifsearch.puzzles.ranking import FIELD_WEIGHTS, is_common
from motifsearch.terms import Mode, query_terms

# Below this closeness, nothing is like the query. Measured on 20,141 puzzles with 500 queries in default
# mode: see docs/how-it-works/similarity.md.
CLOSE = 0.35


def own_score(
    index: Index, document: Mapping[str, Sequence[str]], mode: Mode, fields: Iterable[str]
) -> float:
    """Return what a puzzle with these terms by field would score for itself, were it in the index.

    Terms that no other puzzle has count, too: the more of them there are, the less any result is like it.
    """
    asked, total = query_terms(document), 0.0
    for field in set(fields) & set(asked):
        frequencies = {term: index.frequency(field, term) for term in asked[field]}
        known = next((term for term, frequency in frequencies.items() if frequency), None)
        length = len(document[field])
        relative_length = length / average_length(index, Word(field, known)) if known else 1.0
        for term, times in Counter(asked[field]).items():
            if is_common(index, field, term, mode):
                continue
            # As a document, the puzzle has the term as often as the query asks for it.
            score = term_score(index, frequencies[term], times, relative_length)
            total += FIELD_WEIGHTS[mode][field] * times * score
    return total
