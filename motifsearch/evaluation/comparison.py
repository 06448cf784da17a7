"""Feature sets compared: by the results they share, and by grades (Ganguly et al., section 5).

Measures are those of `trec_eval`, which gives the same figures for the files that `trec.write_runs` writes.
An ungraded result counts as not relevant, and a query without a term of a feature set as one without
results; both are reported beside the measures.
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
from motifsearch.positions.feature_sets import WEIGHTS, FeatureSet
from motifsearch.positions.searcher import PositionHit, PositionSearcher
from motifsearch.positions.terms import query_families

# The lowest grade that counts as relevant where there is only yes and no (P@5, MAP): somewhat relevant. The
# paper's authors count so in their program (https://github.com/gdebasis/ChessR, ResultSet.java).
RELEVANT = 1

# Results per query that P@5 and nDCG@5 look at, and of which the ungraded ones are counted.
SHOWN = 5


@dataclass(frozen=True)
class Measures:
    """How good a feature set is: means over the graded queries (0…1).

    Of its first five results for each of these queries, `shown` in all, `ungraded` have no grade.
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
    """What the feature sets found, up to `k` results a query. `measures` is None without grades."""

    queries: Sequence[NumberedPosition]
    skipped: Sequence[Skipped]
    k: int
    results: Results
    measures: Mapping[FeatureSet, Measures] | None
    graded: int

    @property
    def without_terms(self) -> dict[FeatureSet, list[str]]:
        """The queries without a term of a feature set, by feature set, where there are any."""
        lacking = {
            feature_set: [query.id for query in self.queries if query.id not in found]
            for feature_set, found in self.results.items()
        }
        return {feature_set: ids for feature_set, ids in lacking.items() if ids}

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
            and {feature_set: found.as_dict() for feature_set, found in self.measures.items()},
        }


def compare_runs(
    store: Store,
    queries: Sequence[NumberedPosition],
    k: int,
    grades: Grades | None = None,
    *,
    skipped: Sequence[Skipped] = (),
    directory: Path | None = None,
    progress: Progress | None = None,
) -> RunsReport:
    """Return what the feature sets find for some positions and, with grades, how good that is.

    Raises as `PositionSearcher` and `measure` do.
    """
    results = retrieve(store, queries, k, directory=directory, progress=progress)
    if grades is None:
        return RunsReport(queries, skipped, k, results, None, 0)
    graded = {query.id: grades[query.id] for query in queries if query.id in grades}
    return RunsReport(queries, skipped, k, results, measure(results, graded), len(graded))


def retrieve(
    store: Store,
    queries: Sequence[NumberedPosition],
    k: int,
    *,
    directory: Path | None = None,
    progress: Progress | None = None,
) -> Results:
    """Return the best `k` results of each feature set for each query that has terms of it.

    Raises as `PositionSearcher` does.
    """
    progress = progress or Progress()
    results: dict[FeatureSet, dict[str, list[PositionHit]]] = {feature_set: {} for feature_set in FeatureSet}
    asked = [
        (feature_set, query)
        for feature_set in FeatureSet
        for query in queries
        if has_terms(query.board, feature_set)
    ]
    with PositionSearcher(store, directory, progress) as searcher:
        for done, (feature_set, query) in enumerate(asked, start=1):
            results[feature_set][query.id] = searcher.similar(query.board, feature_set=feature_set, k=k)
            progress.update("searches", done, len(asked), "query")
    return results


def has_terms(board: chess.Board, feature_set: FeatureSet) -> bool:
    """Tell whether a position has terms of a feature set: one without an attack has none of `Attk`."""
    asked = query_families(board)
    return any(asked[family] for family in WEIGHTS[feature_set])


def overlaps(results: Results) -> dict[tuple[FeatureSet, FeatureSet], float]:
    """Return the share of games that two feature sets both find (0…1), the mean over queries both answer.

    Pairs of feature sets that answer no query in common are left out.
    """
    found = {}
    for one, other in combinations(results, 2):
        shares = [
            _common_games(results[one][query], results[other][query])
            for query in results[one]
            if query in results[other]
        ]
        if shares:
            found[one, other] = sum(shares) / len(shares)
    return found


def measure(results: Results, grades: Grades) -> dict[FeatureSet, Measures]:
    """Return how good each feature set is by the grades of its results.

    Raises `InputError` when there is no grade, `LibraryMissingError` without the extra `evaluation`.
    """
    try:
        # Only here: it is an extra, and loads more than a search needs.
        from ir_measures import AP, P, calc_aggregate, nDCG
    except ImportError as error:
        raise LibraryMissingError(
            "measuring feature sets needs ir-measures; pip install 'chess-motif[evaluation]'"
        ) from error
    if not any(grades.values()):
        raise InputError("no result of these queries has a grade")
    measures = {"p5": P(rel=RELEVANT) @ SHOWN, "map": AP(rel=RELEVANT), "ndcg5": nDCG @ SHOWN, "ndcg": nDCG}
    measured = {}
    for feature_set, found in results.items():
        scores = {query: falling_scores(hits) for query, hits in found.items()}
        figures = calc_aggregate(list(measures.values()), grades, scores)
        first = [
            (query, document)
            for query, documents in scores.items()
            if query in grades
            for document in list(documents)[:SHOWN]
        ]
        ungraded = sum(document not in grades[query] for query, document in first)
        means = {name: float(figures[one]) for name, one in measures.items()}
        measured[feature_set] = Measures(**means, ungraded=ungraded, shown=len(first))
    return measured


def _common_games(one: Sequence[PositionHit], other: Sequence[PositionHit]) -> float:
    games, others = ({found.game.number for found in results} for results in (one, other))
    # Both lists are empty only where no archived position has a term of the feature set.
    return len(games & others) / max(len(games), len(others), 1)
