"""Similar puzzles for a terminal, as boards of figurines; and what an update of the index did."""

from __future__ import annotations

from collections.abc import Sequence

from chess_motif.boards import solution_san, to_move
from chess_motif.tables import table
from motifsearch.puzzles.index import IndexReport
from motifsearch.puzzles.query import PuzzleQuery
from motifsearch.puzzles.ranking import By
from motifsearch.puzzles.searcher import PuzzleHit
from motifsearch.terms import Mode
from motifsearch.views.board_grid import Cell, grid
from motifsearch.views.puzzles.words import closeness_text, notices_of


def similar_text(
    query: PuzzleQuery, hits: Sequence[PuzzleHit], by: By, mode: Mode, width: int, why: bool = False
) -> str:
    """Return the query and the results for a terminal of `width` columns; with `why`, the query's reasons."""
    title = f"Puzzle {query.puzzle.id}" if query.puzzle else "Position"
    query_cell = Cell(
        query.board,
        [
            f"{title}, {to_move(query.board)}",
            solution_san(query.board, query.moves),
            *(reason.sentence for reason in query.reasons if why),
        ],
    )
    notices = "\n".join(notices_of(query, hits, by, mode))
    return f"{grid(query_cell, [_cell(hit, by, mode) for hit in hits], width)}\n\n{notices}".rstrip()


def _cell(hit: PuzzleHit, by: By, mode: Mode) -> Cell:
    board = hit.puzzle.position()
    lines = [
        f"{hit.rank}. {hit.puzzle.id}",
        closeness_text(hit, by, mode),
        ", ".join(filter(None, [to_move(board), hit.puzzle.level_text()])),
        solution_san(board, hit.puzzle.moves()),
        hit.puzzle.origin().removeprefix("https://"),
    ]
    if hit.words:
        lines.append(f"Both: {hit.words}")
    return Cell(board, lines + [reason.sentence for reason in hit.reasons])


def index_text(report: IndexReport) -> str:
    """Return what an update of the index did."""
    rows: list[list[object]] = [
        ["puzzles in the index", f"{report.puzzles:,}"],
        ["added", f"{report.added:,}"],
    ]
    rows += [["removed", f"{report.removed:,}"]] if report.removed else []
    rows += [["unreadable", f"{report.unreadable:,}"]] if report.unreadable else []
    rows += [["seconds", f"{report.seconds:.1f}"], ["puzzles/s", f"{report.rate:,.0f}"]]
    return f"{report.path}\n\n{table(['', 'count'], rows, right='lr')}"
