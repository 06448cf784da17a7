"""The report on transformed positions for a terminal."""

from __future__ import annotations

from collections.abc import Callable

from chess_motif.tables import table
from motifsearch.evaluation.perturbation_report import MOST_MOVED, Figures, PerturbationReport, Share
from motifsearch.positions.searcher import CANDIDATES


def transformations_text(report: PerturbationReport) -> str:
    """Return a table for each figure: a line for each run, a column for each number of men moved."""
    hidden = sum(len(drawn.transformed) for drawn in report.drawn)
    parts = [
        f"{len(report.drawn):,} positions, each of another game, were searched for among the "
        f"{report.positions:,} positions of {report.games:,} games.\n"
        f"Planted for them were {hidden:,}: the same with one to {MOST_MOVED} men moved. Games with the very "
        "position do not count.",
        _drawn("PositionHit in the first place", report, lambda found: found.top1),
        _drawn("PositionHit among the first ten games", report, lambda found: found.top10),
        _drawn("Mean reciprocal rank", report, lambda found: found.mrr),
        f"In parentheses: 95 % confidence intervals. What is not among the best {CANDIDATES:,} positions is "
        "not found.\nThey were hidden in a copy of the index, which is gone again.",
    ]
    return "\n\n".join(parts)


def _drawn(title: str, report: PerturbationReport, figure: Callable[[Figures], Share]) -> str:
    columns = [*range(1, MOST_MOVED + 1), None]
    rows = []
    for run in report.ranks:
        found = [report.figures(run, moved) for moved in columns]
        rows.append([run, *("–" if one is None else _written(figure(one)) for one in found)])
    header = ["men moved", *(str(moved or "all") for moved in columns)]
    return f"{title}\n\n{table(header, rows, right='lrrrrr')}"


def _written(share: Share) -> str:
    return f"{share.mean:.3f} ({share.low:.2f}–{share.high:.2f})"
