"""The accuracy on pairs, as text and as a web page."""

from __future__ import annotations

from chess_motif.pages import render
from chess_motif.tables import table
from motifsearch.puzzles.pairs import PAPER_FIGURES, PAPER_NAMES, AccuracyReport
from motifsearch.terms.encoding import ENCODINGS
from motifsearch.views.puzzles import puzzle_card

HEADER = ("mode", "terms", "top 1", "top 5", "top 10", "MRR")

# What stands for the mode in the rows of the published figures.
PUBLISHED = "published"


def pairs_text(report: AccuracyReport) -> str:
    """Return the figures of all pairs, and of the moved ones if there are any."""
    kind = "generated pairs" if report.generated else "pairs"
    parts = [f"{len(report.pairs)} {kind} among {report.documents} positions", _table(_rows(report))]
    if report.moved:
        parts += [
            f"Of these, {report.moved} in which the simplified puzzle was moved on the board",
            _table(_rows(report, moved=True)),
        ]
    return "\n\n".join([*parts, report.note])


def pairs_page(report: AccuracyReport) -> str:
    """Return the page of a pair report: the figures, then every pair; those found last come first."""
    cards = [
        (
            pair.id,
            puzzle_card(pair.base.board, pair.base.moves),
            puzzle_card(pair.simplified.board, pair.simplified.moves),
            ranks,
        )
        for pair, ranks in report.worst_first()
    ]
    return render(
        "motifsearch/views/templates/pairs.html",
        report=report,
        cards=cards,
        header=HEADER,
        published=PUBLISHED,
        rows=_rows(report),
        moved_rows=_rows(report, moved=True) if report.moved else [],
    )


def _rows(report: AccuracyReport, *, moved: bool = False) -> list[list[str]]:
    """Return the figures of all pairs, or of the moved ones, as the cells of a table.

    The published figures follow those of all pairs, unless some are generated.
    """
    rows = []
    for mode in ENCODINGS:
        for by in PAPER_FIGURES:
            accuracy = report.accuracy(mode, by, moved=moved)
            figures = (accuracy.top1, accuracy.top5, accuracy.top10, accuracy.mrr)
            rows.append([mode, PAPER_NAMES[by], *(f"{figure:.3f}" for figure in figures)])
    if not (report.generated or moved):
        rows += [
            [PUBLISHED, PAPER_NAMES[by], *(f"{share:.3f}" for share in shares), ""]
            for by, shares in PAPER_FIGURES.items()
        ]
    return rows


def _table(rows: list[list[str]]) -> str:
    return table(HEADER, rows, right="llrrrr")
