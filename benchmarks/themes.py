"""How far the themes of a puzzle agree with those of the puzzles found for it.

    python -m benchmarks.themes PUZZLES.csv[.zst] [--queries N] [-k N]

PUZZLES are puzzles with themes, in the Lichess schema. Each query is one of them, and the others are searched
for. The agreement of two puzzles is the Jaccard index of their labels, the themes that name a motif: the
number that both have divided by the number that at least one has. If every puzzle has a single label, this is
the precision of the label. Prints the agreement by mode and kind of terms, by how close the results are, and
the precision of each label.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from benchmarks.command import at_least, parser_for, run, show
from chess_motif.errors import TableError
from chess_motif.intervals import STANDARD_ERRORS
from chess_motif.tables import table
from db.models import Puzzle
from motifsearch.index.directory import Index
from motifsearch.puzzles.index import Row, encode_all, index_in_memory
from motifsearch.puzzles.ranking import FIELDS_BY, By, best, clauses, own_score
from motifsearch.terms.encoding import DEFAULT, ENCODINGS, FIELDS, Encoding, encode, query_terms
from puzzlegen.formats import lichess_csv
from puzzlegen.games.archive import open_archive
from puzzlegen.motifs.tags import motif_tags

# Themes that are shown as found instead of another.
INSTEAD = 4

# From these shares of what a query would score against itself on, results are counted together.
BANDS = (0.0, 0.3, DEFAULT.close, 0.45, 0.55, 0.7)


@dataclass(frozen=True)
class Labelled:
    """A puzzle and its labels; a puzzle without labels is a document, but never a query."""

    row: Row
    labels: frozenset[str]


@dataclass(frozen=True)
class Agreement:
    """The mean agreement of the best k results (0…1); its 95 % confidence interval is `mean` ± `margin`."""

    mean: float
    margin: float


@dataclass(frozen=True)
class LabelPrecision:
    """How often the results for the `queries` with a label have it, too: `precision` (0…1).

    `instead` has the share of results with each other label and, under an empty one, of those without any.
    It is empty where puzzles may have several labels.
    """

    queries: int
    precision: float
    instead: Mapping[str, float]


@dataclass(frozen=True)
class Band:
    """Results from a closeness on: how many, their agreement, and the share with a common label (0…1)."""

    closeness: float
    results: int
    agreement: float
    shared: float


@dataclass(frozen=True)
class ThemeReport:
    """The agreements by mode, for each kind of terms and for each field alone.

    `single` says that every puzzle has a single label. `bands` has the agreement by closeness, and `labels`
    the precision of each label, both by the combined score in default mode.
    """

    documents: int
    queries: int
    k: int
    single: bool
    agreements: Mapping[str, Mapping[str, Agreement]]
    bands: Sequence[Band]
    labels: Mapping[str, LabelPrecision]

    @property
    def macro_precision(self) -> float:
        """The mean of the precisions of all labels, each counting once however many puzzles have it."""
        return mean(label.precision for label in self.labels.values())

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {
            "documents": self.documents,
            "queries": self.queries,
            "k": self.k,
            "single_label": self.single,
            "agreement": {
                mode: {name: vars(agreement) for name, agreement in kinds.items()}
                for mode, kinds in self.agreements.items()
            },
            "closeness": [vars(band) for band in self.bands],
            "macro_precision": self.macro_precision,
            "labels": {name: vars(label) for name, label in self.labels.items()},
        }


def read_labelled(file: Path) -> list[Labelled]:
    """Return the puzzles of a CSV file in the Lichess schema, with those themes that name a motif.

    Puzzles that cannot be used are left out. Raises `TableError` if fewer than two puzzles have such a theme,
    and `ArchiveError`.
    """
    puzzles = []
    with open_archive(str(file)) as archive:
        for number, (_, entry) in enumerate(lichess_csv.read(archive), start=1):
            if not isinstance(entry, Puzzle):
                continue
            row = Row(number, entry.id, entry.fen, entry.blunder, entry.puzzle_fen, entry.solution)
            puzzles.append(Labelled(row, frozenset(motif_tags(entry.themes.split()))))
    if sum(bool(puzzle.labels) for puzzle in puzzles) < 2:
        raise TableError(f"{file}: there are fewer than two puzzles whose themes name a motif")
    return puzzles


def measure_themes(puzzles: Sequence[Labelled], queries: int, k: int, seed: int = 1) -> ThemeReport:
    """Return how far the best `k` results agree with the query, for a random sample of `queries` puzzles."""
    labels = {puzzle.row.id: puzzle.labels for puzzle in puzzles}
    labelled = [puzzle for puzzle in puzzles if puzzle.labels]
    sample = random.Random(seed).sample(labelled, min(queries, len(labelled)))
    single = all(len(puzzle.labels) == 1 for puzzle in labelled)
    indexes = {mode: _index(puzzles, encoding) for mode, encoding in ENCODINGS.items()}
    found = {mode: _found(indexes[mode], sample, labels, ENCODINGS[mode], k) for mode in ENCODINGS}
    return ThemeReport(
        len(puzzles),
        len(sample),
        k,
        single,
        {
            mode: {name: _agreement(sample, results, k) for name, results in kinds.items()}
            for mode, kinds in found.items()
        },
        _bands(indexes[DEFAULT.name], sample, labels, k),
        _by_label(sample, found[DEFAULT.name][By.COMBINED], k, single=single),
    )


# The labels of the results for one query, best first.
Results = list[frozenset[str]]


def _index(puzzles: Sequence[Labelled], encoding: Encoding) -> Index:
    return index_in_memory(encode_all((puzzle.row for puzzle in puzzles), len(puzzles), encoding))


def _found(
    index: Index,
    queries: Sequence[Labelled],
    labels: Mapping[str, frozenset[str]],
    encoding: Encoding,
    k: int,
) -> dict[str, list[Results]]:
    """Return the results for each query, by the kind of terms or the field that is searched."""
    terms = [query_terms(_document(puzzle.row, encoding)) for puzzle in queries]
    kinds: dict[str, tuple[str, ...]] = {
        str(by): FIELDS_BY[by] for by in (By.STATIC, By.DYNAMIC, By.COMBINED)
    }
    kinds |= {field: (field,) for field in FIELDS if field in terms[0]}
    return {
        name: [
            [labels[key] for key, _ in best(index, query, k, puzzle.row.id, exact=True)]
            for puzzle, query in zip(
                queries, (clauses(index, words, encoding, fields) for words in terms), strict=True
            )
        ]
        for name, fields in kinds.items()
    }


def _agreement(queries: Sequence[Labelled], found: Sequence[Results], k: int) -> Agreement:
    # A missing result agrees with nothing.
    shares = [
        sum(_jaccard(puzzle.labels, labels) for labels in results) / k
        for puzzle, results in zip(queries, found, strict=True)
    ]
    margin = STANDARD_ERRORS * stdev(shares) / len(shares) ** 0.5 if len(shares) > 1 else 0.0
    return Agreement(mean(shares), margin)


def _bands(
    index: Index, queries: Sequence[Labelled], labels: Mapping[str, frozenset[str]], k: int
) -> list[Band]:
    """Return the agreement of the results in default mode by how close they are."""
    agreements: list[list[float]] = [[] for _ in BANDS]
    for puzzle in queries:
        document = _document(puzzle.row, DEFAULT)
        own = own_score(index, document, DEFAULT, FIELDS)
        asked = clauses(index, query_terms(document), DEFAULT)
        for key, score in best(index, asked, k, puzzle.row.id, exact=True):
            agreements[bisect(BANDS, score / own) - 1].append(_jaccard(puzzle.labels, labels[key]))
    return [
        Band(closeness, len(shares), mean(shares), mean(share > 0 for share in shares))
        for closeness, shares in zip(BANDS, agreements, strict=True)
        if shares
    ]


def _by_label(
    queries: Sequence[Labelled], found: Sequence[Results], k: int, *, single: bool
) -> dict[str, LabelPrecision]:
    """Return the precision of each label of the queries, the most frequent label first."""
    frequency = Counter(label for puzzle in queries for label in puzzle.labels)
    precisions = {}
    for label, count in frequency.most_common():
        results = [
            labels
            for puzzle, each in zip(queries, found, strict=True)
            if label in puzzle.labels
            for labels in each
        ]
        places = count * k
        others = Counter(next(iter(labels), "") for labels in results if label not in labels)
        instead = {other: number / places for other, number in others.most_common()} if single else {}
        right = sum(label in labels for labels in results)
        precisions[label] = LabelPrecision(count, right / places, instead)
    return precisions


def _document(row: Row, encoding: Encoding) -> dict[str, list[str]]:
    return encode(row.tactics(), encoding)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


def themes_text(report: ThemeReport) -> str:
    """Return how far the themes of the best results agree with those of the queries."""
    rows: list[list[object]] = [
        [mode, kind, f"{agreement.mean:.3f}", f"± {agreement.margin:.3f}"]
        for mode, kinds in report.agreements.items()
        for kind, agreement in kinds.items()
    ]
    measure = "precision of the theme" if report.single else "agreement of themes (Jaccard)"
    title = f"{report.queries} queries among {report.documents:,} puzzles: {measure} of the best {report.k}"
    figures = table(["mode", "terms", f"at {report.k}", ""], rows, right="llrr")
    return f"{title}\n\n{figures}\n\n{_bands_text(report)}\n\n{_labels_text(report)}"


def _bands_text(report: ThemeReport) -> str:
    """Return how far the themes of results agree by how close the results are."""
    rows: list[list[object]] = [
        [f"{band.closeness:.0%}", band.results, f"{band.agreement:.2f}", f"{band.shared:.0%}"]
        for band in report.bands
    ]
    header = ["closeness from", "results", "agreement", "at least one theme in common"]
    title = f"By how close each of the best {report.k} is (default mode, combined)"
    return f"{title}\n\n{table(header, rows, right='rrrr')}"


def _labels_text(report: ThemeReport) -> str:
    """Return how often the best results have each theme, and which they have instead."""
    rows: list[list[object]] = [
        [
            name,
            label.queries,
            f"{label.precision:.3f}",
            ", ".join(
                f"{other or 'none'} {share:.2f}" for other, share in [*label.instead.items()][:INSTEAD]
            ),
        ]
        for name, label in report.labels.items()
    ]
    rows.append(["each theme once", "", f"{report.macro_precision:.3f}", ""])
    header = ["theme", "queries", f"at {report.k}", "instead" if report.single else ""]
    title = f"Share of the best {report.k} with the theme of the query (default mode, combined)"
    return f"{title}\n\n{table(header, rows, right='lrrl')}"


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("file", type=Path, metavar="PUZZLES")
    parser.add_argument("--queries", type=at_least(1), default=500, help="puzzles to search for")
    parser.add_argument("-k", type=at_least(1), default=5, help="results to compare")
    options = parser.parse_args()
    report = measure_themes(read_labelled(options.file), options.queries, options.k)
    show(themes_text(report), report.as_dict(), as_json=options.json)


if __name__ == "__main__":
    run(main)
