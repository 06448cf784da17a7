"""How often a search for a base position finds its simplified partner (see `pair_files`).

The experiment is that of Bizjak & Guid (ACG 2021): the simplified positions, and possibly others, are the
documents, each base position is a query, and the rank of its partner among all documents counts. Documents
with the same score as the partner rank before it. A partner that shares no term with the query ranks last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chess_motif.errors import TableError
from chess_motif.intervals import Interval, share_interval
from chess_motif.progress import Progress
from motifsearch.index.bm25 import DIGITS, Clause, search
from motifsearch.index.directory import Index
from motifsearch.puzzles.index import Encoded, index_in_memory
from motifsearch.puzzles.pair_files import Pair, PairFile, Skipped, SolvedPosition
from motifsearch.puzzles.ranking import FIELDS_BY, clauses, scores
from motifsearch.search import By
from motifsearch.terms.encoding import encode, query_terms
from motifsearch.terms.weights import DEFAULT, ENCODINGS, Encoding

# Scores that differ by less are equal except for rounding.
SAME_SCORE = 10.0**-DIGITS

# A partner counts as found if it is among this many first results.
DEPTHS = (1, 5, 10)

# The names of the three kinds of terms in the paper.
PAPER_NAMES: Mapping[By, str] = {By.STATIC: "static", By.DYNAMIC: "dynamic", By.COMBINED: "all"}

# The figures of Bizjak & Guid 2021: shares found in the top 1, 5 and 10, for the pairs of the CT-ART course.
PAPER_FIGURES: Mapping[By, tuple[float, float, float]] = {
    By.STATIC: (0.252, 0.370, 0.433),
    By.DYNAMIC: (0.418, 0.652, 0.761),
    By.COMBINED: (0.481, 0.736, 0.814),
}
PAPER_NOTE = (
    "The published figures are for the pairs of the CT-ART course. They cannot be compared with figures for "
    "other pairs."
)
GENERATED_NOTE = (
    "Generated pairs: puzzles and the same puzzles with fewer pieces, made by a program. They are not "
    "the pairs of the CT-ART course, and figures for them cannot be compared with those of the paper."
)


@dataclass(frozen=True)
class Accuracy:
    """The shares of partners among the first 1, 5 and 10 results, and the mean reciprocal rank (all 0…1)."""

    top1: float
    top5: float
    top10: float
    mrr: float


@dataclass(frozen=True)
class RankedPair:
    """A pair with the ranks of the simplified position (1 is the best): `ranks[mode][by]`.

    A mode is the name of an encoding. `instead` is the first result by all terms in default mode, which may
    be the simplified position.
    """

    pair: Pair
    ranks: Mapping[str, Mapping[By, int]]
    instead: SolvedPosition

    @property
    def rank(self) -> int:
        """The rank by all terms in default mode."""
        return self.ranks[DEFAULT.name][By.COMBINED]


@dataclass(frozen=True)
class AccuracyReport:
    """The pairs with the ranks of their partners.

    `documents` is the number of positions searched. `notes` say how the pairs were formed, and what seems
    wrong with them.
    """

    pairs: Sequence[RankedPair]
    skipped: Sequence[Skipped]
    documents: int
    notes: Sequence[str]

    @property
    def moved(self) -> int:
        """The number of simplified positions that were moved on the board."""
        return sum(each.pair.moved for each in self.pairs)

    @property
    def generated(self) -> bool:
        """Whether some of the pairs are generated."""
        return any(each.pair.generated for each in self.pairs)

    @property
    def note(self) -> str:
        """How to read the figures."""
        return GENERATED_NOTE if self.generated else PAPER_NOTE

    def accuracy(self, mode: str, by: By, *, moved: bool = False) -> Accuracy:
        """Return the accuracy for all pairs, or only for those with a moved simplified position."""
        ranks = [each.ranks[mode][by] for each in self.pairs if each.pair.moved or not moved]
        top1, top5, top10 = (sum(rank <= depth for rank in ranks) / len(ranks) for depth in DEPTHS)
        return Accuracy(top1, top5, top10, sum(1 / rank for rank in ranks) / len(ranks))

    def intervals(self, mode: str, by: By, *, moved: bool = False) -> list[Interval]:
        """Return the shares of partners among the first 1, 5 and 10 results, with 95 % intervals."""
        found, trials = self.accuracy(mode, by, moved=moved), self.moved if moved else len(self.pairs)
        return [share_interval(share, trials) for share in (found.top1, found.top5, found.top10)]

    def worst_first(self) -> list[RankedPair]:
        """Return the pairs by falling rank (by all terms in default mode)."""
        return sorted(self.pairs, key=lambda each: -each.rank)

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
                {"pair_id": each.pair.id, "removed": each.pair.removed, "moved": each.pair.moved}
                | {
                    mode: {PAPER_NAMES[by]: rank for by, rank in kinds.items()}
                    for mode, kinds in each.ranks.items()
                }
                for each in self.worst_first()
            ],
            "notes": self.notes,
            "skipped": [vars(skipped) for skipped in self.skipped],
        }

    def _accuracies(self, *, moved: bool) -> dict[str, dict[str, dict[str, Any]]]:
        return {
            mode: {
                PAPER_NAMES[by]: vars(self.accuracy(mode, by, moved=moved))
                | {"intervals": [each[1:] for each in self.intervals(mode, by, moved=moved)]}
                for by in PAPER_FIGURES
            }
            for mode in ENCODINGS
        }


def measure_pairs(
    file: PairFile, others: Sequence[SolvedPosition] = (), progress: Progress | None = None
) -> AccuracyReport:
    """Return the ranks of the partners in a file, in each mode and by each kind of terms.

    `others` are further documents, without a base position. Raises `TableError` without a usable pair.
    """
    if not file.pairs:
        reason = f" ({file.skipped[0]})" if file.skipped else ""
        raise TableError(f"no usable pair to measure{reason}")
    progress = progress or Progress()
    documents = [*(pair.simplified for pair in file.pairs), *others]
    found = {name: _found(file.pairs, documents, encoding, progress) for name, encoding in ENCODINGS.items()}
    firsts = [first for _, first in found[DEFAULT.name][By.COMBINED]]
    ranked = []
    for place, pair in enumerate(file.pairs):
        ranks = {mode: {by: each[place][0] for by, each in kinds.items()} for mode, kinds in found.items()}
        ranked.append(RankedPair(pair, ranks, documents[firsts[place]]))
    return AccuracyReport(ranked, file.skipped, len(documents), [*file.notes, *_shifted(firsts)])


def _shifted(firsts: Sequence[int]) -> Iterator[str]:
    """Yield a note if more positions find the partner of a certain neighbour than find their own partner."""
    shifts = Counter(first - place for place, first in enumerate(firsts))
    shift, count = shifts.most_common(1)[0]
    if shift and count > max(1, shifts[0]):
        direction = "after" if shift > 0 else "before"
        yield (
            f"{count} positions find the partner {abs(shift)} {direction} their own first, "
            f"{shifts[0]} their own: is a position missing, or is the order wrong?"
        )


def _found(
    pairs: Sequence[Pair], documents: Sequence[SolvedPosition], encoding: Encoding, progress: Progress
) -> dict[By, list[tuple[int, int]]]:
    """Return by each kind of terms the rank of each partner, and the number of the document found first."""
    index = index_in_memory(
        Encoded.of(number, str(number), encode(document.tactics(), encoding))
        for number, document in enumerate(documents)
    )
    found: dict[By, list[tuple[int, int]]] = {by: [] for by in PAPER_FIGURES}
    for number, pair in enumerate(pairs):
        terms = query_terms(encode(pair.base.tactics(), encoding))
        for by, ranked in found.items():
            ranked.append(_rank(index, clauses(index, terms, encoding, FIELDS_BY[by]), number))
        progress.update(f"searching in {encoding.name} mode", number + 1, len(pairs), "pair")
    return found


def _rank(index: Index, query: Sequence[Clause], partner: int) -> tuple[int, int]:
    score = scores(index, query, [str(partner)])[str(partner)]
    hits = search(index, query, index.count)
    (first,) = index.values("number", [hits[0][1]]) if hits else [partner]
    rank = index.count if score == 0 else sum(each > score - SAME_SCORE for each, _ in hits)
    return rank, partner if rank == 1 or first is None else first
