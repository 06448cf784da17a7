"""The feature sets of `positions similar`, compared by the results that they share, or by grades.

    python -m benchmarks.feature_sets QUERIES.fen [--html OUT.html] [--qrels FILE] [--out FOLDER] [-k N]

Searches for the position of each line of QUERIES by each feature set, with the same colours unless
`--colours either` is given. `--html` writes a page on which people grade the pool of results (Ganguly et al.,
section 7.1.4). With the grades that it saves (`--qrels`), prints P@5, MAP, nDCG@5 and nDCG, for all queries
and by their lengths; otherwise the shares of games that two feature sets both find.

The measures are those of `trec_eval` with the gains 2^grade - 1. Ungraded results count as not relevant; how
many of the first five have no grade is printed as well.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

import chess

from benchmarks.command import at_least, parser_for, run, show
from benchmarks.grading import (
    GRADES,
    RETRIEVED,
    Grades,
    NumberedPosition,
    Results,
    falling_scores,
    grading_page,
    grading_task,
    read_qrels,
    read_queries,
    write_runs,
)
from chess_motif.errors import InputError, LibraryMissingError
from chess_motif.output import note
from chess_motif.pages import write_page
from chess_motif.progress import Progress, TerminalProgress
from chess_motif.tables import table
from chess_motif.text import counted
from db.store import Store
from motifsearch.positions.ranking import Colours
from motifsearch.positions.searcher import PositionHit, PositionSearcher
from motifsearch.positions.terms import FeatureSet
from motifsearch.puzzles.pair_files import Skipped

# The lowest grade that counts as relevant for binary measures (P@5, MAP), as in the paper (section 7.2.1).
# The program of its authors has 1 (https://github.com/gdebasis/ChessR, ResultSet.java).
RELEVANT = 2

# What a grade gains in nDCG and nDCG@5, as in the authors' program.
GAINS = {grade: 2**grade - 1 for grade in range(len(GRADES))}

# Query lengths (numbers of pieces) that are measured together; 11 to 13 is the best group of Figure 10.
LENGTHS = (range(2, 11), range(11, 14), range(14, 17), range(17, 20), range(20, 23), range(23, 33))

# The cutoff of P@5 and nDCG@5: only this many results per query count, and ungraded ones among them are
# reported.
SHOWN = 5

# The measures, and what they are called.
MEASURES = {"p5": f"P@{SHOWN}", "map": "MAP", "ndcg5": f"nDCG@{SHOWN}", "ndcg": "nDCG"}


@dataclass(frozen=True)
class Measures:
    """The measures of a feature set: P@5, MAP, nDCG@5 and nDCG, each the mean over the graded queries (0…1).

    The first five results for each of these queries are `shown` results in all, of which `ungraded` have no
    grade.
    """

    p5: float
    map: float
    ndcg5: float
    ndcg: float
    ungraded: int
    shown: int

    def as_dict(self) -> dict[str, Any]:
        """Return the measures for a JSON document."""
        means = {measure: getattr(self, measure) for measure in MEASURES}
        return {**means, "unjudged": self.ungraded, "shown": self.shown}


@dataclass(frozen=True)
class Graded:
    """The measures of the feature sets over some graded `queries`."""

    queries: int
    measures: Mapping[FeatureSet, Measures]

    def as_dict(self) -> dict[str, Any]:
        """Return the measures for a JSON document."""
        measures = {feature_set: found.as_dict() for feature_set, found in self.measures.items()}
        return {"judged_queries": self.queries, "measures": measures}


@dataclass(frozen=True)
class FeatureSetsReport:
    """The results of the feature sets, up to `k` for each query, and how they compare.

    Without grades, `graded` is None. With them, `by_length` has the groups of query lengths, such as `11–13`.
    """

    queries: Sequence[NumberedPosition]
    skipped: Sequence[Skipped]
    k: int
    results: Results
    graded: Graded | None = None
    by_length: Mapping[str, Graded] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        graded = self.graded or Graded(0, {})
        return {
            "queries": [{"id": query.id, "fen": query.board.fen()} for query in self.queries],
            "skipped": [vars(skipped) for skipped in self.skipped],
            "k": self.k,
            "overlaps": [
                {"runs": list(pair), "share": share} for pair, share in overlaps(self.results).items()
            ],
            **graded.as_dict(),
            "by_length": {lengths: group.as_dict() for lengths, group in self.by_length.items()},
        }


def compare_feature_sets(
    store: Store,
    queries: Sequence[NumberedPosition],
    k: int,
    grades: Grades | None = None,
    *,
    skipped: Sequence[Skipped] = (),
    colours: Colours = Colours.SAME,
    directory: Path | None = None,
    progress: Progress | None = None,
) -> FeatureSetsReport:
    """Return the best `k` results of each feature set for each query and, with `grades`, their measures.

    `skipped` are entries of the queries' file, to be reported. The paper's searches are for the same
    `colours`. `directory` holds the indexes (default: beside the database). Raises as
    `PositionSearcher.similar` and `measure_results` do.
    """
    with PositionSearcher(store, directory, progress) as searcher:
        results = retrieve(searcher, queries, k, colours=colours, progress=progress)
    if grades is None:
        return FeatureSetsReport(queries, skipped, k, results)
    lengths = {query.id: chess.popcount(query.board.occupied) for query in queries if query.id in grades}

    def measured(group: Container[int]) -> Graded:
        chosen = {query: grades[query] for query, length in lengths.items() if length in group}
        return Graded(len(chosen), measure_results(results, chosen))

    by_length = {
        f"{group[0]}–{group[-1]}": measured(group)
        for group in LENGTHS
        if any(length in group for length in lengths.values())
    }
    return FeatureSetsReport(queries, skipped, k, results, measured(lengths.values()), by_length)


def retrieve(
    searcher: PositionSearcher,
    queries: Sequence[NumberedPosition],
    k: int,
    *,
    colours: Colours = Colours.SAME,
    progress: Progress | None = None,
) -> Results:
    """Return the best `k` results of each feature set for each query.

    Raises as `PositionSearcher.similar` does.
    """
    progress = progress or Progress()
    results: dict[FeatureSet, dict[str, list[PositionHit]]] = {feature_set: {} for feature_set in FeatureSet}
    searches = [(one, query) for one in FeatureSet for query in queries]
    for done, (one, query) in enumerate(searches, start=1):
        results[one][query.id] = searcher.similar(query.board, feature_set=one, colours=colours, k=k)
        progress.update("searching", done, len(searches), "query")
    return results


def overlaps(results: Results) -> dict[tuple[FeatureSet, FeatureSet], float]:
    """Return the share of games that two feature sets both find (0…1), the mean of the queries, by pair."""
    return {
        (first, second): mean(
            _common_games(hits, results[second][query]) for query, hits in results[first].items()
        )
        for first, second in combinations(results, 2)
    }


def measure_results(results: Results, grades: Grades) -> dict[FeatureSet, Measures]:
    """Return the measures of each feature set by the grades of its results.

    Raises `InputError` when there is no grade, `LibraryMissingError` without the extra `bench`.
    """
    try:
        # Imported only here: it is an extra, and loads more than a search needs.
        from ir_measures import AP, P, calc_aggregate, nDCG
    except ImportError as error:
        raise LibraryMissingError(
            "measuring runs needs ir-measures; pip install 'chess-motif[bench]'"
        ) from error
    if not any(grades.values()):
        raise InputError("no result of these queries has a grade")
    ndcg = nDCG(gains=GAINS)
    measures = {"p5": P(rel=RELEVANT) @ SHOWN, "map": AP(rel=RELEVANT), "ndcg5": ndcg @ SHOWN, "ndcg": ndcg}
    measured = {}
    for feature_set, by_query in results.items():
        scores = {query: falling_scores(hits) for query, hits in by_query.items()}
        figures = calc_aggregate(list(measures.values()), grades, scores)
        top = [
            (query, document)
            for query, documents in scores.items()
            if query in grades
            for document in list(documents)[:SHOWN]
        ]
        ungraded = sum(document not in grades[query] for query, document in top)
        means = {name: float(figures[kind]) for name, kind in measures.items()}
        measured[feature_set] = Measures(**means, ungraded=ungraded, shown=len(top))
    return measured


def _common_games(first: Sequence[PositionHit], second: Sequence[PositionHit]) -> float:
    first_games, second_games = ({hit.game.number for hit in hits} for hits in (first, second))
    # Both are empty only if no archived position has a term of the query.
    return len(first_games & second_games) / max(len(first_games), len(second_games), 1)


def feature_sets_text(report: FeatureSetsReport) -> str:
    """Return the measures of the feature sets or, without grades, the share of games that they share."""
    parts = [f"{len(report.queries)} queries, the best {report.k} of each feature set"]
    if report.graded is None:
        parts += [_overlaps(report), "Share of games that both find: the mean over the queries."]
    else:
        parts += [
            _measures(report.graded.measures),
            *(_by_length(name, attribute, report.by_length) for attribute, name in MEASURES.items()),
            f"{report.graded.queries} of the queries are graded. For P@5 and MAP, a result is relevant from "
            f"grade “{GRADES[RELEVANT]}” on. Ungraded results count as not relevant.",
        ]
    return "\n\n".join(parts)


def _measures(measures: Mapping[FeatureSet, Measures]) -> str:
    rows: list[list[object]] = [
        [
            run,
            *(f"{getattr(found, measure):.3f}" for measure in MEASURES),
            f"{found.ungraded} of {found.shown}",
        ]
        for run, found in measures.items()
    ]
    return table(["run", *MEASURES.values(), f"ungraded in the first {SHOWN}"], rows, right="lrrrrr")


def _by_length(name: str, measure: str, groups: Mapping[str, Graded]) -> str:
    rows: list[list[object]] = [
        [run, *(f"{getattr(group.measures[run], measure):.3f}" for group in groups.values())]
        for run in FeatureSet
    ]
    header = ["run", *(f"{lengths} ({group.queries})" for lengths, group in groups.items())]
    title = f"{name} by the number of pieces in the query (in parentheses: queries)"
    return f"{title}\n\n{table(header, rows, right='l' + 'r' * len(groups))}"


def _overlaps(report: FeatureSetsReport) -> str:
    shares = overlaps(report.results)
    rows: list[list[object]] = [
        [row, *(f"{shares[column, row]:.2f}" if (column, row) in shares else "" for column in report.results)]
        for row in report.results
    ]
    return table(["run", *report.results], rows, right="l" + "r" * len(report.results))


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("queries", type=Path, metavar="QUERIES.fen")
    parser.add_argument("--qrels", type=Path, metavar="FILE", help="grades of results, as TREC qrels")
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="write the results of each feature set as a TREC run"
    )
    parser.add_argument("-k", type=at_least(1), default=RETRIEVED, help="results for each query")
    parser.add_argument("--html", type=Path, metavar="OUT", help="write a page for grading the results")
    parser.add_argument("--colours", type=Colours, choices=[*Colours], default=Colours.SAME)
    parser.add_argument("--index", type=Path, metavar="DIR")
    parser.add_argument("--db", metavar="URL")
    options = parser.parse_args()

    queries = read_queries(options.queries)
    for skipped in queries.skipped:
        note(f"{options.queries}: {skipped}")
    grades = None
    if options.qrels is not None:
        qrels = read_qrels(options.qrels)
        for skipped in qrels.skipped:
            note(f"{options.qrels}: {skipped}")
        grades = qrels.grades
    with Store(options.db, create=False) as store, TerminalProgress() as progress:
        report = compare_feature_sets(
            store,
            queries.queries,
            options.k,
            grades,
            skipped=queries.skipped,
            colours=options.colours,
            directory=options.index,
            progress=progress,
        )
    if options.out is not None:
        note(f"{counted(len(write_runs(options.out, report.results)), 'run')} written to {options.out}")
    if options.html is not None:
        write_page(options.html, grading_page(grading_task(queries.queries, report.results, grades)))
        note(f"Written to {options.html}: grade the results there and save qrels.txt")
    show(feature_sets_text(report), report.as_dict(), as_json=options.json)


if __name__ == "__main__":
    run(main)
