"""The runs compared: by what they have in common, and by judgements (Ganguly et al., section 5).

Measures are those of `trec_eval`, which gives the same figures for the files that `trec.write_runs` writes.
A result that nobody judged counts as not relevant, and a query without a term of a run as answered by
nothing; both are told beside the measures.
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

# Of so many first results P@5 and nDCG@5 are, and the count of those that nobody judged.
SHOWN = 5


@dataclass(frozen=True)
class Measures:
    """How good a run is: means over the judged queries (0…1).

    Of its first five results for these queries, `shown` in all, nobody has judged `unjudged`.
    """

    p5: float
    map: float
    ndcg5: float
    ndcg: float
    unjudged: int
    shown: int


@dataclass(frozen=True)
class RunsReport:
    """What the runs found, up to `k` results a query. `measures` is None where nothing was judged."""

    queries: Sequence[NumberedPosition]
    skipped: Sequence[Skipped]
    k: int
    results: Results
    measures: Mapping[FeatureSet, Measures] | None
    judged: int

    @property
    def without_terms(self) -> dict[FeatureSet, list[str]]:
        """The queries that have no term of a run, for those runs that have such."""
        lacking = {
            run: [query.id for query in self.queries if query.id not in found]
            for run, found in self.results.items()
        }
        return {run: ids for run, ids in lacking.items() if ids}

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
            "judged_queries": self.judged,
            "measures": self.measures and {run: vars(found) for run, found in self.measures.items()},
        }


def compare_runs(
    store: Store,
    queries: Sequence[NumberedPosition],
    k: int,
    judgements: Grades | None = None,
    *,
    skipped: Sequence[Skipped] = (),
    directory: Path | None = None,
    progress: Progress | None = None,
) -> RunsReport:
    """Return what the runs find for some positions and, with judgements, how good that is.

    Raises as `PositionSearcher` and `measure` do.
    """
    results = retrieve(store, queries, k, directory=directory, progress=progress)
    if judgements is None:
        return RunsReport(queries, skipped, k, results, None, 0)
    judged = {query.id: judgements[query.id] for query in queries if query.id in judgements}
    return RunsReport(queries, skipped, k, results, measure(results, judged), len(judged))


def retrieve(
    store: Store,
    queries: Sequence[NumberedPosition],
    k: int,
    *,
    directory: Path | None = None,
    progress: Progress | None = None,
) -> Results:
    """Return the best `k` results of each run for each query that has terms of it.

    Raises as `PositionSearcher` does.
    """
    progress = progress or Progress()
    results: dict[FeatureSet, dict[str, list[PositionHit]]] = {run: {} for run in FeatureSet}
    asked = [(run, query) for run in FeatureSet for query in queries if has_terms(query.board, run)]
    with PositionSearcher(store, directory, progress) as searcher:
        for done, (run, query) in enumerate(asked, start=1):
            results[run][query.id] = searcher.similar(query.board, feature_set=run, k=k)
            progress.update("searches", done, len(asked), "query")
    return results


def has_terms(board: chess.Board, run: FeatureSet) -> bool:
    """Tell whether a position can be searched for by a run: one without an attack has no term of `Attk`."""
    asked = query_families(board)
    return any(asked[family] for family in WEIGHTS[run])


def overlaps(results: Results) -> dict[tuple[FeatureSet, FeatureSet], float]:
    """Return the share of games that two runs have in common (0…1), the mean over queries both answer.

    It is left out where they answer none.
    """
    found = {}
    for one, other in combinations(results, 2):
        shares = [
            _common_games(results[one][query], results[other][query])
            for query in results[one].keys() & results[other].keys()
        ]
        if shares:
            found[one, other] = sum(shares) / len(shares)
    return found


def measure(results: Results, judgements: Grades) -> dict[FeatureSet, Measures]:
    """Return how good each run is by the judgements of its results.

    Raises `InputError` when there is no judgement, `LibraryMissingError` without the extra `evaluation`.
    """
    try:
        # Only here: it is an extra, and loads more than a search needs.
        from ir_measures import AP, P, calc_aggregate, nDCG
    except ImportError as error:
        raise LibraryMissingError(
            "measuring runs needs ir-measures; pip install 'chess-motif[evaluation]'"
        ) from error
    if not any(judgements.values()):
        raise InputError("no judgement of a result of these queries")
    wanted = {"p5": P(rel=RELEVANT) @ SHOWN, "map": AP(rel=RELEVANT), "ndcg5": nDCG @ SHOWN, "ndcg": nDCG}
    measured = {}
    for run, found in results.items():
        scores = {query: falling_scores(hits) for query, hits in found.items()}
        figures = calc_aggregate(list(wanted.values()), judgements, scores)
        first = [
            (query, document)
            for query, documents in scores.items()
            if query in judgements
            for document in list(documents)[:SHOWN]
        ]
        unjudged = sum(document not in judgements[query] for query, document in first)
        means = {name: float(figures[one]) for name, one in wanted.items()}
        measured[run] = Measures(**means, unjudged=unjudged, shown=len(first))
    return measured


def _common_games(one: Sequence[PositionHit], other: Sequence[PositionHit]) -> float:
    games, others = ({found.game.number for found in results} for results in (one, other))
    # Both lists are empty only where a run's terms occur nowhere.
    return len(games & others) / max(len(games), len(others), 1)
