"""Feature sets compared: by the results they share, and by grades (Ganguly et al., section 5).

The measures are those of `trec_eval`, which gives the same figures for the files of `trec.write_runs`. An
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

from chess_motif.errors import InputError, LibraryMissingError
from chess_motif.progress import Progress
from db.store import Store
from motifsearch.evaluation.pairs import Skipped
from motifsearch.evaluation.position_queries import NumberedPosition
from motifsearch.evaluation.trec import Grades, Results, falling_scores
from motifsearch.positions.colours import Colours
from motifsearch.positions.feature_sets import WEIGHTS, FeatureSet
from motifsearch.positions.searcher import PositionHit, PositionSearcher
from motifsearch.positions.terms import query_families

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
class RunsReport:
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


def compare_runs(
    store: Store,
    queries: Sequence[NumberedPosition],
    k: int,
    grades: Grades | None = None,
    *,
    skipped: Sequence[Skipped] = (),
    colours: Colours = Colours.SAME,
    directory: Path | None = None,
    progress: Progress | None = None,
) -> RunsReport:
    """Return the best `k` results of each feature set for each query and, with `grades`, their measures.

    `skipped` are entries of the queries' file, to be reported. The paper's searches are for the same
    `colours`. `directory` holds the indexes (default: beside the database). Raises as
    `PositionSearcher.similar` and `measure` do.
    """
    with PositionSearcher(store, directory, progress) as searcher:
        results = retrieve(searcher, queries, k, colours=colours, progress=progress)
    if grades is None:
        return RunsReport(queries, skipped, k, results, None, 0)
    graded = {query.id: grades[query.id] for query in queries if query.id in grades}
    return RunsReport(queries, skipped, k, results, measure(results, graded), len(graded))


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


def measure(results: Results, grades: Grades) -> dict[FeatureSet, Measures]:
    """Return the measures of each feature set by the grades of its results.

    Raises `InputError` when there is no grade, `LibraryMissingError` without the extra `evaluation`.
    """
    try:
        # Imported only here: it is an extra, and loads more than a search needs.
        from ir_measures import AP, P, calc_aggregate, nDCG
    except ImportError as error:
        raise LibraryMissingError(
            "measuring runs needs ir-measures; pip install 'chess-motif[evaluation]'"
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
