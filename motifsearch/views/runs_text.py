"""A comparison of runs for a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from chess_motif.tables import table
from motifsearch.evaluation.comparison import RELEVANT, SHOWN, Measures, RunsReport, overlaps
from motifsearch.evaluation.trec import GRADES
from motifsearch.positions.feature_sets import FeatureSet


def runs_text(report: RunsReport) -> str:
    """Return the measures of a report or, where nothing was judged, what the runs have in common."""
    parts = [f"{len(report.queries)} queries, the best {report.k} of each run"]
    if report.measures is None:
        parts += [
            _overlaps(report),
            "Share of games that two runs have in common, the mean over the queries that both answer.",
        ]
    else:
        parts += [
            _measures(report.measures),
            f"{report.judged} of the queries are judged. For P@5 and MAP a result is relevant from "
            f"«{GRADES[RELEVANT]}» on. One that nobody judged counts as not relevant.",
        ]
    without = [
        f"Without a term of {run}, and counted as not answered: {', '.join(ids)}"
        for run, ids in report.without_terms.items()
    ]
    return "\n\n".join([*parts, "\n".join(without)] if without else parts)


def _measures(measures: Mapping[FeatureSet, Measures]) -> str:
    rows: list[list[object]] = [
        [
            run,
            *(f"{figure:.3f}" for figure in (found.p5, found.map, found.ndcg5, found.ndcg)),
            f"{found.unjudged} of {found.shown}",
        ]
        for run, found in measures.items()
    ]
    header = ["run", "P@5", "MAP", "nDCG@5", "nDCG", f"unjudged in the first {SHOWN}"]
    return table(header, rows, right="lrrrrr")


def _overlaps(report: RunsReport) -> str:
    shares = overlaps(report.results)
    rows: list[list[object]] = [
        [run, *(f"{shares[other, run]:.2f}" if (other, run) in shares else "" for other in FeatureSet)]
        for run in FeatureSet
    ]
    return table(["run", *FeatureSet], rows, right="l" + "r" * len(FeatureSet))
