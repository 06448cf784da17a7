"""The feature sets of `positions similar`, compared by the results that they share, or by grades.

    python -m benchmarks.feature_sets QUERIES.fen [--html OUT.html] [--qrels FILE] [--out FOLDER] [-k N]

Searches for the position of each line of QUERIES by each feature set, with the same colours unless
`--colours either` is given. `--html` writes a page on which people grade the results; with the grades that it
saves (`--qrels`), prints P@5, MAP, nDCG@5 and nDCG (Ganguly et al., section 5), otherwise the shares of games
that two feature sets both find.

The measures are those of `trec_eval`, which gives the same figures for the files that `--out` writes. An
ungraded result counts as not relevant, and a query without a term of a feature set as one without results.
Both are reported with the measures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import chess

from benchmarks.command import at_least, parser_for, run, show
from benchmarks.grading import (
    GRADES,
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
from motifsearch.positions.terms import WEIGHTS, FeatureSet, query_families
from motifsearch.puzzles.pairs import Skipped

# The lowest grade that counts as relevant for binary measures (P@5, MAP): somewhat relevant, as in the
# program of the paper's authors (https://github.com/gdebasis/ChessR, ResultSet.java).
RELEVANT = 1

# The cutoff of P@5 and nDCG@5: only this many results per query count, and ungraded ones among them are
# reported.
SHOWN = 5


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
        means = {"p5": self.p5, "map": self.map, "ndcg5": self.ndcg5, "ndcg": self.ndcg}
        return {**means, "unjudged": self.ungraded, "shown": self.shown}


@dataclass(frozen=True)
class FeatureSetsReport:
    """The results of the feature sets, up to `k` for each query, and how they compare.

    `measures` is None without grades; `graded` is the number of queries with grades.
    """

    queries: Sequence[NumberedPosition]
    skipped: Sequence[Skipped]
    k: int
    results: Results
    measures: Mapping[FeatureSet, Measures] | None
    graded: int

    @property
    def without_terms(self) -> dict[FeatureSet, list[str]]:
        """The ids of the queries that have no term of a feature set, by feature set."""
        missing = {
            feature_set: [query.id for query in self.queries if query.id not in results]
            for feature_set, results in self.results.items()
        }
        return {feature_set: ids for feature_set, ids in missing.items() if ids}

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {
            "queries": [{"id": query.id, "fen": query.board.fen()} for query in self.queries],
            "skipped": [vars(skipped) for skipped in self.skipped],
            "k": self.k,
            "without_terms": self.without_terms,
            "overlaps": [
                {"runs": list(pair), "share": share} for pair, share in overlaps(self.results).items()
            ],
            "judged_queries": self.graded,
            "measures": self.measures
            and {feature_set: measures.as_dict() for feature_set, measures in self.measures.items()},
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
        return FeatureSetsReport(queries, skipped, k, results, None, 0)
    graded = {query.id: grades[query.id] for query in queries if query.id in grades}
    return FeatureSetsReport(queries, skipped, k, results, measure_results(results, graded), len(graded))


def retrieve(
    searcher: PositionSearcher,
    queries: Sequence[NumberedPosition],
    k: int,
    *,
    colours: Colours = Colours.SAME,
    progress: Progress | None = None,
) -> Results:
    """Return the best `k` results of each feature set for each query that has terms of it.

    Raises as `PositionSearcher.similar` does.
    """
    progress = progress or Progress()
    results: dict[FeatureSet, dict[str, list[PositionHit]]] = {feature_set: {} for feature_set in FeatureSet}
    searches = [(one, query) for one in FeatureSet for query in queries if has_terms(query.board, one)]
    for done, (one, query) in enumerate(searches, start=1):
        results[one][query.id] = searcher.similar(query.board, feature_set=one, colours=colours, k=k)
        progress.update("searching", done, len(searches), "query")
    return results


def has_terms(board: chess.Board, feature_set: FeatureSet) -> bool:
    """Return whether a position has a term to search for: without attacks, it has none of `Attk`."""
    terms = query_families(board)
    return any(terms[family] for family in WEIGHTS[feature_set])


def overlaps(results: Results) -> dict[tuple[FeatureSet, FeatureSet], float]:
    """Return the share of games that both of two feature sets find (0…1), by pair.

    It is the mean over the queries that have terms of both; pairs without such a query are left out.
    """
    means = {}
    for first, second in combinations(results, 2):
        shares = [
            _common_games(results[first][query], results[second][query])
            for query in results[first]
            if query in results[second]
        ]
        if shares:
            means[first, second] = sum(shares) / len(shares)
    return means


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
    measures = {"p5": P(rel=RELEVANT) @ SHOWN, "map": AP(rel=RELEVANT), "ndcg5": nDCG @ SHOWN, "ndcg": nDCG}
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
    # Both are empty only if no archived position has a term of the feature set.
    return len(first_games & second_games) / max(len(first_games), len(second_games), 1)


def feature_sets_text(report: FeatureSetsReport) -> str:
    """Return the measures of the feature sets or, without grades, the share of games that they share."""
    parts = [f"{len(report.queries)} queries, the best {report.k} of each feature set"]
    if report.measures is None:
        parts += [
            _overlaps(report),
            "Share of games that both find: the mean over the queries for which both have terms.",
        ]
    else:
        parts += [
            _measures(report.measures),
            f"{report.graded} of the queries are graded. For P@5 and MAP, a result is relevant from grade "
            f"“{GRADES[RELEVANT]}” on. Ungraded results count as not relevant.",
        ]
    without = [
        f"Queries without a term of {run}, which count as having no results: {', '.join(ids)}"
        for run, ids in report.without_terms.items()
    ]
    return "\n\n".join([*parts, *(["\n".join(without)] if without else [])])


def _measures(measures: Mapping[FeatureSet, Measures]) -> str:
    rows: list[list[object]] = [
        [
            run,
            *(f"{figure:.3f}" for figure in (found.p5, found.map, found.ndcg5, found.ndcg)),
            f"{found.ungraded} of {found.shown}",
        ]
        for run, found in measures.items()
    ]
    header = ["run", "P@5", "MAP", "nDCG@5", "nDCG", f"ungraded in the first {SHOWN}"]
    return table(header, rows, right="lrrrrr")


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
    parser.add_argument("-k", type=at_least(1), default=10, help="results for each query")
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
    with Store(options.db) as store, TerminalProgress() as progress:
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
