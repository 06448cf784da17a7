"""Similar puzzles, and a pair report, as HTML pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import chess
from markupsafe import Markup

from chess_motif.boards import solution_san, svg_board
from db.models import Puzzle
from motifsearch.evaluation.pair_accuracy import PAPER_FIGURES, PAPER_NAMES, Accuracy, AccuracyReport
from motifsearch.evaluation.pairs import Line
from motifsearch.puzzles.query import Query
from motifsearch.puzzles.ranking import By
from motifsearch.puzzles.searcher import Hit
from motifsearch.terms import STATIC_FIELDS, Mode
from motifsearch.views.html import link, render


def similar_page(query: Query, hits: Sequence[Hit], by: By, mode: Mode) -> str:
    """Return the page of a search: the query, then the puzzles found."""
    return render(
        "similar.html",
        query=_card(query.board, query.moves, query.puzzle),
        hits=[(hit, _card(hit.puzzle.position(), hit.puzzle.moves(), hit.puzzle)) for hit in hits],
        by=by,
        mode=mode,
        static_fields=STATIC_FIELDS,
    )


def pairs_page(report: AccuracyReport) -> str:
    """Return the page of a pair report: the figures, then every pair, the worst found first."""
    cards = [
        (pair.id, _line_card(pair.base), _line_card(pair.simplified), ranks)
        for pair, ranks in report.worst_first()
    ]
    return render(
        "pairs.html",
        report=report,
        cards=cards,
        rows=_accuracy_rows(report, moved=False),
        moved_rows=_accuracy_rows(report, moved=True) if report.moved else [],
        paper={PAPER_NAMES[by]: shares for by, shares in PAPER_FIGURES.items() if not report.generated},
    )


def _accuracy_rows(report: AccuracyReport, *, moved: bool) -> list[tuple[Mode, str, Accuracy]]:
    return [
        (mode, PAPER_NAMES[by], report.accuracy(mode, by, moved=moved))
        for mode in Mode
        for by in PAPER_FIGURES
    ]


def _line_card(line: Line) -> dict[str, Any]:
    return _card(line.board, line.moves, None)


def _card(board: chess.Board, moves: Sequence[chess.Move], puzzle: Puzzle | None) -> dict[str, Any]:
    blunder = chess.Move.from_uci(puzzle.blunder) if puzzle and puzzle.blunder else None
    return {
        "svg": Markup(svg_board(board, moves[:1], blunder)),
        "turn": "White" if board.turn else "Black",
        "fen": board.fen(),
        "san": solution_san(board, moves),
        "id": puzzle.id if puzzle else None,
        "rating": puzzle.rating if puzzle else None,
        "origin": puzzle.origin() if puzzle else "",
        "link": link(puzzle.game_url) if puzzle else None,
        "tags": puzzle.all_tags() if puzzle else [],
    }
