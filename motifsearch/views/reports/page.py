"""HTML pages of reports: the pairs of a pair report, and the page for grading results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import chess.svg
from markupsafe import Markup

from chess_motif.pages.html import render
from motifsearch.evaluation.pair_accuracy import PAPER_FIGURES, PAPER_NAMES, Accuracy, AccuracyReport
from motifsearch.terms import Mode
from motifsearch.views.puzzles.page import puzzle_card


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
        rows=_accuracy_rows(report, moved=False),
        moved_rows=_accuracy_rows(report, moved=True) if report.moved else [],
        paper={PAPER_NAMES[by]: shares for by, shares in PAPER_FIGURES.items() if not report.generated},
    )


def grading_page(task: Mapping[str, Any]) -> str:
    """Return the page on which a person grades results; `task` is what `grading.grading_task` returns."""
    # The page has one drawing of each piece, which its script places on the boards.
    pieces = Markup("".join(chess.svg.PIECES.values()))
    return render("motifsearch/views/templates/grading.html", task=task, pieces=pieces)


def _accuracy_rows(report: AccuracyReport, *, moved: bool) -> list[tuple[Mode, str, Accuracy]]:
    return [
        (mode, PAPER_NAMES[by], report.accuracy(mode, by, moved=moved))
        for mode in Mode
        for by in PAPER_FIGURES
    ]
