"""How close a result is to the query: its share of what the query would score against itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from motifsearch.index.bm25 import average_length, term_score
from motifsearch.index.directory import Index
from motifsearch.puzzles.ranking import FIELD_WEIGHTS
from motifsearch.terms import Mode, query_terms


def own_score(
    index: Index, document: Mapping[str, Sequence[str]], mode: Mode, fields: Iterable[str]
) -> float:
    """Return what a puzzle with these terms by field would score for itself, were it in the index.

    Terms that no other puzzle has count, too: the more of them there are, the less any result is like it.
    """
    asked, total = query_terms(document), 0.0
    for field in fields:
        length, weight = len(document.get(field, ())), FIELD_WEIGHTS[mode].get(field, 0.0)
        average = average_length(index, field, asked.get(field, ())) or length
        for term, times in Counter(asked.get(field, ())).items():
            # As a document, the puzzle has the term as often as the query asks for it.
            total += weight * times * term_score(index, index.frequency(field, term), times, length / average)
    return total
