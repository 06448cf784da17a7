"""Reports for a terminal: pairs, themes, comparisons of runs, and perturbed positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from chess_motif.tables import table
from motifsearch.evaluation.comparison import RELEVANT, SHOWN, Measures, RunsReport, overlaps
from motifsearch.evaluation.intervals import Interval
from motifsearch.evaluation.pair_accuracy import PAPER_FIGURES, PAPER_NAMES, AccuracyReport
from motifsearch.evaluation.perturbation_report import MAX_MOVED, Figures, PerturbationReport
from motifsearch.evaluation.themes import ThemeReport
from motifsearch.evaluation.trec import GRADES
from motifsearch.positions.feature_sets import FeatureSet
from motifsearch.positions.searcher import CANDIDATES
from motifsearch.terms import Mode

# Themes that are shown as found instead of another.
INSTEAD = 4


def pairs_text(report: AccuracyReport) -> str:
    """Return the figures of all pairs, and of the moved ones if there are any.

    The published figures are included unless pairs are generated.
    """
    rows = _accuracy_rows(report, moved=False)
    if not report.generated:
        rows += [
            ["published", PAPER_NAMES[by], *(f"{share:.3f}" for share in top), ""]
            for by, top in PAPER_FIGURES.items()
        ]
    kind = "generated pairs" if report.generated else "pairs"
    parts = [f"{len(report.pairs)} {kind} among {report.documents} positions", _accuracy_table(rows)]
    if report.moved:
        parts += [
            f"Of these, {report.moved} in which the simplified puzzle was moved on the board",
            _accuracy_table(_accuracy_rows(report, moved=True)),
        ]
    return "\n\n".join([*parts, report.note])


def runs_text(report: RunsReport) -> str:
    """Return the measures of the runs or, without grades, the share of games that they share."""
    parts = [f"{len(report.queries)} queries, the best {report.k} of each run"]
    if report.measures is None:
        parts += [
            _overlaps(report),
            "Share of games that both runs find: the mean over the queries for which both have terms.",
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


def transformations_text(report: PerturbationReport) -> str:
    """Return a table for each figure: a row for each run, a column for 1, 2, … moved pieces."""
    planted = sum(len(query.perturbed) for query in report.sampled)
    parts = [
        f"{len(report.sampled):,} positions, each from a different game, were searched for among the "
        f"{report.positions:,} positions of {report.games:,} games.\n"
        f"{planted:,} planted positions were to be found: the same with 1 to {MAX_MOVED} pieces moved.\n"
        "Games in which the position itself occurred do not count.",
        _figures("Found at rank 1", report, lambda found: found.top1),
        _figures("Found among the first ten games", report, lambda found: found.top10),
        _figures("Mean reciprocal rank", report, lambda found: found.mrr),
        f"In parentheses: 95 % confidence intervals. Each search returns the best {CANDIDATES:,} positions.\n"
        "The positions were planted in a copy of the index, which has been deleted.",
    ]
    return "\n\n".join(parts)


def _accuracy_rows(report: AccuracyReport, *, moved: bool) -> list[list[object]]:
    rows: list[list[object]] = []
    for mode in Mode:
        for by in PAPER_FIGURES:
            accuracy = report.accuracy(mode, by, moved=moved)
            shares = (accuracy.top1, accuracy.top5, accuracy.top10, accuracy.mrr)
            rows.append([mode, PAPER_NAMES[by], *(f"{share:.3f}" for share in shares)])
    return rows


def _accuracy_table(rows: list[list[object]]) -> str:
    return table(["mode", "terms", "top 1", "top 5", "top 10", "MRR"], rows, right="llrrrr")


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


def _overlaps(report: RunsReport) -> str:
    shares = overlaps(report.results)
    rows: list[list[object]] = [
        [row, *(f"{shares[column, row]:.2f}" if (column, row) in shares else "" for column in report.results)]
        for row in report.results
    ]
    return table(["run", *report.results], rows, right="l" + "r" * len(report.results))


def _figures(title: str, report: PerturbationReport, figure: Callable[[Figures], Interval]) -> str:
    columns = [*range(1, MAX_MOVED + 1), None]
    rows = []
    for run in report.ranks:
        cells = [report.figures(run, moved) for moved in columns]
        rows.append([run, *("–" if cell is None else _interval(figure(cell)) for cell in cells)])
    header = ["pieces moved", *(str(moved or "all") for moved in columns)]
    return f"{title}\n\n{table(header, rows, right='lrrrrr')}"


def _interval(share: Interval) -> str:
    return f"{share.mean:.3f} ({share.low:.2f}–{share.high:.2f})"


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
    return f"{title}\n\n{figures}\n\n{_labels_text(report)}"


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
