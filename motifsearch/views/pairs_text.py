"""A pair report for a terminal."""

from __future__ import annotations

from chess_motif.tables import table
from motifsearch.evaluation.pair_accuracy import PAPER_FIGURES, PAPER_NAMES, AccuracyReport
from motifsearch.terms import Mode


def pairs_text(report: AccuracyReport) -> str:
    """Return the figures of a report: of all pairs and, where there are such, of the moved ones.

    The paper's own stand beside those of pairs that people made.
    """
    rows = _rows(report, moved=False)
    if not report.generated:
        rows += [
            ["published", PAPER_NAMES[by], *(f"{share:.3f}" for share in top), ""]
            for by, top in PAPER_FIGURES.items()
        ]
    made = "generated pairs" if report.generated else "pairs"
    parts = [f"{len(report.pairs)} {made} among {report.documents} positions", _drawn(rows)]
    if report.moved:
        parts += [
            f"Of these, {report.moved} that stand elsewhere on the board",
            _drawn(_rows(report, moved=True)),
        ]
    return "\n\n".join([*parts, report.note])


def _rows(report: AccuracyReport, *, moved: bool) -> list[list[object]]:
    rows: list[list[object]] = []
    for mode in Mode:
        for by in PAPER_FIGURES:
            found = report.accuracy(mode, by, moved=moved)
            shares = (found.top1, found.top5, found.top10, found.mrr)
            rows.append([mode, PAPER_NAMES[by], *(f"{share:.3f}" for share in shares)])
    return rows


def _drawn(rows: list[list[object]]) -> str:
    return table(["mode", "terms", "top 1", "top 5", "top 10", "MRR"], rows, right="llrrrr")
