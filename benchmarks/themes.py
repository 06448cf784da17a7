"""How well the themes of search results agree with those of the query.

    python -m benchmarks.themes PUZZLES.csv[.zst] [--queries N]

PUZZLES are puzzles with themes, in the Lichess schema. Each query is one of these puzzles, and the others are
searched. The agreement of two puzzles is the Jaccard index of their labels, the themes that name a motif: the
number of labels that both have, divided by the number that at least one has. Prints the agreement by mode and
kind of terms, and by likeness of the results.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from benchmarks.command import at_least, parser_for, run
from benchmarks.puzzles import read_puzzles, rows_of
from chess_motif.errors import TableError
from chess_motif.intervals import Interval, mean_interval
from chess_motif.tables import table
from motifsearch.index.directory import Index
from motifsearch.puzzles.index import Row, encode_all, index_in_memory
from motifsearch.puzzles.ranking import FIELDS_BY, best, clauses, own_score
from motifsearch.search import By
from motifsearch.terms.encoding import encode, query_terms
from motifsearch.terms.weights import DEFAULT, ENCODINGS, FIELDS, Encoding
from puzzlegen.motifs.tags import motif_tags

# The lower bounds of the groups of results by likeness.
BANDS = (0.0, 0.25, DEFAULT.close, 0.35, DEFAULT.loose, 0.5, 0.6, 0.7)


class Labelled(NamedTuple):
    """A puzzle and its labels; a puzzle without labels is a document, but never a query."""

    row: Row
    labels: frozenset[str]


class Band(NamedTuple):
    """A group of results by likeness: their number, agreement, and the share with a common label (0…1)."""

    closeness: float
    results: int
    agreement: float
    shared: float


class ThemeReport(NamedTuple):
    """The agreements by mode, for each kind of terms and for each field alone.

    `bands` has the agreement by likeness, by the combined score in default mode.
    """

    documents: int
    queries: int
    k: int
    agreements: Mapping[str, Mapping[str, Interval]]
    bands: Sequence[Band]


def read_labelled(file: Path) -> list[Labelled]:
    """Return the puzzles of a CSV file in the Lichess schema, with those themes that name a motif.

    Raises `TableError` if fewer than two puzzles have such a theme, and what `read_puzzles` raises.
    """
    entries = read_puzzles(str(file))
    puzzles = [
        Labelled(row, frozenset(motif_tags(entry.themes.split())))
        for entry, row in zip(entries, rows_of(entries), strict=True)
    ]
    if sum(bool(puzzle.labels) for puzzle in puzzles) < 2:
        raise TableError(f"{file}: there are fewer than two puzzles whose themes name a motif")
    return puzzles


def measure_themes(puzzles: Sequence[Labelled], queries: int, k: int = 5) -> ThemeReport:
    """Return the agreement of the best `k` results with the query, for `queries` random puzzles."""
    labels = {puzzle.row.id: puzzle.labels for puzzle in puzzles}
    labelled = [puzzle for puzzle in puzzles if puzzle.labels]
    sample = random.Random(1).sample(labelled, min(queries, len(labelled)))
    indexes = {mode: _index(puzzles, encoding) for mode, encoding in ENCODINGS.items()}
    found = {mode: _found(indexes[mode], sample, labels, ENCODINGS[mode], k) for mode in ENCODINGS}
    return ThemeReport(
        len(puzzles),
        len(sample),
        k,
        {
            mode: {name: _agreement(sample, results, k) for name, results in kinds.items()}
            for mode, kinds in found.items()
        },
        _bands(indexes[DEFAULT.name], sample, labels, k),
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
    """Return the results for each query, by kind of terms or by the field searched."""
    terms = [query_terms(_document(puzzle.row, encoding)) for puzzle in queries]
    kinds: dict[str, tuple[str, ...]] = {
        str(by): FIELDS_BY[by] for by in (By.STATIC, By.DYNAMIC, By.COMBINED)
    }
    kinds |= {field: (field,) for field in FIELDS if field in terms[0]}
    return {
        name: [
            [labels[one.key] for one in best(index, query, k, puzzle.row.id, exact=True)]
            for puzzle, query in zip(
                queries, (clauses(index, words, encoding, fields) for words in terms), strict=True
            )
        ]
        for name, fields in kinds.items()
    }


def _agreement(queries: Sequence[Labelled], found: Sequence[Results], k: int) -> Interval:
    # A missing result agrees with nothing.
    shares = [
        sum(_jaccard(puzzle.labels, labels) for labels in results) / k
        for puzzle, results in zip(queries, found, strict=True)
    ]
    return mean_interval(shares)


def _bands(
    index: Index, queries: Sequence[Labelled], labels: Mapping[str, frozenset[str]], k: int
) -> list[Band]:
    """Return the agreement of the results in default mode by likeness."""
    agreements: list[list[float]] = [[] for _ in BANDS]
    for puzzle in queries:
        document = _document(puzzle.row, DEFAULT)
        own = own_score(index, document, DEFAULT, FIELDS)
        asked = clauses(index, query_terms(document), DEFAULT)
        for one in best(index, asked, k, puzzle.row.id, exact=True):
            agreements[bisect(BANDS, one.score / own) - 1].append(_jaccard(puzzle.labels, labels[one.key]))
    return [
        Band(closeness, len(shares), mean(shares), mean(share > 0 for share in shares))
        for closeness, shares in zip(BANDS, agreements, strict=True)
        if shares
    ]


def _document(row: Row, encoding: Encoding) -> dict[str, list[str]]:
    return encode(row.tactics(), encoding)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


def themes_text(report: ThemeReport) -> str:
    """Return the tables of agreement between the themes of the best results and of the queries."""
    agreements = [
        [mode, kind, f"{agreement.mean:.3f}", f"± {agreement.high - agreement.mean:.3f}"]
        for mode, kinds in report.agreements.items()
        for kind, agreement in kinds.items()
    ]
    bands = [
        [f"{band.closeness:.0%}", band.results, f"{band.agreement:.2f}", f"{band.shared:.0%}"]
        for band in report.bands
    ]
    title = f"{report.queries} queries among {report.documents:,} puzzles"
    closeness = ["closeness from", "results", "agreement", "at least one theme in common"]
    return "\n\n".join(
        [
            f"{title}: agreement of themes (Jaccard) of the best {report.k}",
            table(["mode", "terms", f"at {report.k}", ""], agreements, right="llrr"),
            f"By how close each of the best {report.k} is (default mode, combined)",
            table(closeness, bands, right="rrrr"),
        ]
    )


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("file", type=Path, metavar="PUZZLES")
    parser.add_argument("--queries", type=at_least(2), default=500, help="puzzles to search for")
    options = parser.parse_args()
    report = measure_themes(read_labelled(options.file), options.queries)
    print(themes_text(report))


if __name__ == "__main__":
    run(main)
