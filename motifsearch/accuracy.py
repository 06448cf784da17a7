"""How often a base position finds its simplified partner: the accuracy of the similarity.

The experiment of Bizjak & Guid (ACG 2021): the simplified positions are the documents, each
base position is a query, and the rank of its partner among all documents counts. Ties count against:
every document that scores as much as the partner stands before it. A partner that shares no term with
the query has the last rank.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chess_motif.errors import TableError
from motifsearch.encoding import Encoded
from motifsearch.index import Index, Writer, in_memory
from motifsearch.pairs import Pair, PairFile, Skipped
from motifsearch.ranking import DIGITS, FIELDS_BY, By, clauses, scores, search
from motifsearch.terms import Mode, encode, query_terms

# Scores that differ by less are equal but for rounding.
SAME_SCORE = 10.0**-DIGITS

# The depths at which a partner counts as found.
DEPTHS = (1, 5, 10)

# What the paper calls the three kinds of terms.
PAPER_NAMES: Mapping[By, str] = {By.STATIC: "static", By.DYNAMIC: "dynamic", By.COMBINED: "all"}

# Bizjak & Guid 2021: top 1, 5 and 10 on the pairs of the CT-ART course.
PAPER_FIGURES: Mapping[By, tuple[float, float, float]] = {
    By.STATIC: (0.252, 0.370, 0.433),
    By.DYNAMIC: (0.418, 0.652, 0.761),
    By.COMBINED: (0.481, 0.736, 0.814),
}
PAPER_NOTE = (
    "The paper's figures are for the pairs of the CT-ART course: on any other pairs they are no measure."
)


@dataclass(frozen=True)
class Accuracy:
    """Shares of partners among the first 1, 5 and 10 (0…1), and the mean reciprocal rank (0…1)."""

    top1: float
    top5: float
    top10: float
    mrr: float


@dataclass(frozen=True)
class AccuracyReport:
    """The ranks of all partners; `ranks[mode][by]` is in the order of `pairs`, 1 being best."""

    pairs: Sequence[Pair]
    skipped: Sequence[Skipped]
    ranks: Mapping[Mode, Mapping[By, Sequence[int]]]

    def accuracy(self, mode: Mode, by: By) -> Accuracy:
        """Sum up the ranks."""
        ranks = self.ranks[mode][by]
        top1, top5, top10 = (sum(rank <= depth for rank in ranks) / len(ranks) for depth in DEPTHS)
        return Accuracy(top1, top5, top10, sum(1 / rank for rank in ranks) / len(ranks))

    def worst_first(self) -> list[tuple[Pair, dict[Mode, dict[By, int]]]]:
        """Return each pair with its ranks, by falling rank in default mode with all terms."""
        found = [
            (
                pair,
                {
                    mode: {by: ranks[place] for by, ranks in kinds.items()}
                    for mode, kinds in self.ranks.items()
                },
            )
            for place, pair in enumerate(self.pairs)
        ]
        return sorted(found, key=lambda item: -item[1][Mode.DEFAULT][By.COMBINED])

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {
            "pairs": len(self.pairs),
            "accuracy": {
                mode: {PAPER_NAMES[by]: vars(self.accuracy(mode, by)) for by in kinds}
                for mode, kinds in self.ranks.items()
            },
            "paper": {
                "note": PAPER_NOTE,
                **{
                    PAPER_NAMES[by]: dict(zip(("top1", "top5", "top10"), figures, strict=True))
                    for by, figures in PAPER_FIGURES.items()
                },
            },
            "ranks": [
                {"pair_id": pair.id}
                | {
                    mode: {PAPER_NAMES[by]: rank for by, rank in kinds.items()}
                    for mode, kinds in ranks.items()
                }
                for pair, ranks in self.worst_first()
            ],
            "skipped": [vars(skipped) for skipped in self.skipped],
        }


def measure(file: PairFile) -> AccuracyReport:
    """Return how well base positions find their partners, in every mode and by every kind of terms.

    Raises `TableError` when there is no pair.
    """
    if not file.pairs:
        reasons = f" ({file.skipped[0].place}: {file.skipped[0].reason})" if file.skipped else ""
        raise TableError(f"no usable pair to measure{reasons}")
    return AccuracyReport(file.pairs, file.skipped, {mode: _ranks(file.pairs, mode) for mode in Mode})


def _ranks(pairs: Sequence[Pair], mode: Mode) -> dict[By, list[int]]:
    index = _index(pairs, mode)
    queries = [query_terms(encode(pair.base.board, pair.base.moves, mode)) for pair in pairs]
    return {
        by: [_rank(index, terms, str(number), mode, by) for number, terms in enumerate(queries)]
        for by in PAPER_FIGURES
    }


def _index(pairs: Sequence[Pair], mode: Mode) -> Index:
    index = in_memory()
    writer = Writer(index)
    for number, pair in enumerate(pairs):
        document = encode(pair.simplified.board, pair.simplified.moves, mode)
        fields = {field: " ".join(terms) for field, terms in document.items()}
        writer.add(Encoded(number, str(number), fields))
    writer.commit()
    writer.close()
    return index


def _rank(index: Index, terms: Mapping[str, Sequence[str]], partner: str, mode: Mode, by: By) -> int:
    query = clauses(index, terms, mode, FIELDS_BY[by])
    own = scores(index, query, [partner])[partner]
    if own == 0:
        return index.count
    return sum(score > own - SAME_SCORE for score, _ in search(index, query, index.count))
