"""How often a base position finds its simplified partner: the accuracy of the similarity.

The experiment of Bizjak & Guid (ACG 2021): the simplified positions are the documents, each
base position is a query, and the rank of its partner among all documents counts. There may be other
documents. Ties are counted against the partner: documents with the same score are ranked before it. A partner
that shares no term with the query has the last rank.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chess_motif.errors import TableError
from motifsearch.evaluation.pairs import Line, Pair, PairFile, Skipped
from motifsearch.index.bm25 import DIGITS, search
from motifsearch.index.directory import Index
from motifsearch.puzzles.documents import holding
from motifsearch.puzzles.encoding import Encoded
from motifsearch.puzzles.ranking import FIELDS_BY, By, clauses, scores
from motifsearch.terms import Mode, encode, query_terms

# Scores that differ by less are the same but for rounding.
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
GENERATED_NOTE = (
    "Generated pairs: puzzles and the same puzzles with fewer pieces, made by a program. They are not "
    "the pairs of the CT-ART course, and the paper's figures are no measure for them."
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
    """The ranks of all partners; `ranks[mode][by]` is in the order of `pairs`, 1 being best.

    `documents` is the number of positions searched.
    """

    pairs: Sequence[Pair]
    skipped: Sequence[Skipped]
    documents: int
    ranks: Mapping[Mode, Mapping[By, Sequence[int]]]

    @property
    def moved(self) -> int:
        """The number of simplified positions that were moved on the board."""
        return sum(pair.moved for pair in self.pairs)

    @property
    def generated(self) -> bool:
        """Whether there are pairs that a program made."""
        return any(pair.generated for pair in self.pairs)

    @property
    def note(self) -> str:
        """What to make of the figures."""
        return GENERATED_NOTE if self.generated else PAPER_NOTE

    def accuracy(self, mode: Mode, by: By, *, moved: bool = False) -> Accuracy:
        """Sum up the ranks, of the moved pairs only or of all."""
        ranks = [
            rank
            for pair, rank in zip(self.pairs, self.ranks[mode][by], strict=True)
            if pair.moved or not moved
        ]
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
            "documents": self.documents,
            "generated": self.generated,
            "accuracy": self._accuracies(moved=False),
            "moved_pairs": self.moved,
            "moved_accuracy": self._accuracies(moved=True) if self.moved else None,
            "paper": {
                "note": self.note,
                **{
                    PAPER_NAMES[by]: dict(zip(("top1", "top5", "top10"), figures, strict=True))
                    for by, figures in PAPER_FIGURES.items()
                },
            },
            "ranks": [
                {"pair_id": pair.id, "removed": pair.removed, "moved": pair.moved}
                | {
                    mode: {PAPER_NAMES[by]: rank for by, rank in kinds.items()}
                    for mode, kinds in ranks.items()
                }
                for pair, ranks in self.worst_first()
            ],
            "skipped": [vars(skipped) for skipped in self.skipped],
        }

    def _accuracies(self, *, moved: bool) -> dict[Mode, dict[str, dict[str, float]]]:
        return {
            mode: {PAPER_NAMES[by]: vars(self.accuracy(mode, by, moved=moved)) for by in kinds}
            for mode, kinds in self.ranks.items()
        }


def measure(file: PairFile, others: Sequence[Line] = ()) -> AccuracyReport:
    """Return how well base positions find their partners, in every mode and by every kind of terms.

    `others` are documents without a partner. Raises `TableError` when there is no pair.
    """
    if not file.pairs:
        reasons = f" ({file.skipped[0].place}: {file.skipped[0].reason})" if file.skipped else ""
        raise TableError(f"no usable pair to measure{reasons}")
    documents = [*(pair.simplified for pair in file.pairs), *others]
    ranks = {mode: _ranks(file.pairs, documents, mode) for mode in Mode}
    return AccuracyReport(file.pairs, file.skipped, len(documents), ranks)


def _ranks(pairs: Sequence[Pair], documents: Sequence[Line], mode: Mode) -> dict[By, list[int]]:
    index = _index(documents, mode)
    queries = [query_terms(encode(pair.base.board, pair.base.moves, mode)) for pair in pairs]
    return {
        by: [_rank(index, terms, str(number), mode, by) for number, terms in enumerate(queries)]
        for by in PAPER_FIGURES
    }


def _index(documents: Sequence[Line], mode: Mode) -> Index:
    encoded = (encode(document.board, document.moves, mode) for document in documents)
    return holding(
        Encoded(number, str(number), {field: " ".join(words) for field, words in terms.items()})
        for number, terms in enumerate(encoded)
    )


def _rank(index: Index, terms: Mapping[str, Sequence[str]], partner: str, mode: Mode, by: By) -> int:
    query = clauses(index, terms, mode, FIELDS_BY[by])
    own = scores(index, query, [partner])[partner]
    if own == 0:
        return index.count
    return sum(score > own - SAME_SCORE for score, _ in search(index, query, index.count))
