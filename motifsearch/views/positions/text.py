"""Similar positions for a terminal, as boards of figurines; and the counts of archives and memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chess_motif.boards import to_move
from chess_motif.tables import table
from motifsearch.positions.colours import Colours
from motifsearch.positions.index import PositionsReport
from motifsearch.positions.query import PositionQuery
from motifsearch.positions.searcher import PositionHit
from motifsearch.views.board_grid import Cell, grid, term_lines
from motifsearch.views.positions.words import (
    MOVE_COLUMNS,
    NOTHING_FOUND,
    PositionSearch,
    caption_of,
    meanings,
    move_rows,
    results_line,
    summary_notes,
)

# For annotations only: a search should not load what reads games, or what builds a memory.
if TYPE_CHECKING:
    from motifsearch.positions.archiving import AddReport
    from motifsearch.retrieval.memory.build import MemoryReport


def positions_text(search: PositionSearch, width: int) -> str:
    """Return the query and the results for a terminal of `width` columns.

    All are seen from the same side, and with the colours of the query.
    """
    query, hits = search.query, search.hits
    title = f"Puzzle {query.puzzle.id}" if query.puzzle else "Position"
    query_cell = Cell(query.board, [f"{title}, {to_move(query.board)}"])
    summary = _summary(search) if hits else ""
    boards = grid(query_cell, [_cell(hit, query) for hit in hits], width, summary)
    if not hits:
        return f"{boards}\n\n{NOTHING_FOUND}"
    parts = [f"  {meaning}" for meaning in meanings(search.feature_set).values()]
    return "\n".join([boards, "", "Scores:", *parts])


def added_text(report: AddReport, index: PositionsReport) -> str:
    """Return the counts of archived games, with an example of each reason to skip a game."""
    rows: list[list[object]] = [
        ["games read", f"{report.games:,}", ""],
        ["archived", f"{report.archived:,}", ""],
        ["already archived", f"{report.known:,}", ""],
    ]
    rows += skipped_rows(report)
    rows.append(["positions in the index", f"{index.indexed:,}", ""])
    if index.positions:
        rows += [["newly indexed", f"{index.positions:,}", ""], ["positions/s", f"{index.rate:,.0f}", ""]]
    return table(["", "count", "for example"], rows, right="lr")


def skipped_rows(report: AddReport) -> list[list[object]]:
    """Return a row of a table for each reason why games were skipped, with their number and an example."""
    return [
        [f"skipped: {reason}", f"{count:,}", report.examples[reason]]
        for reason, count in report.skipped.most_common()
    ]


def memory_text(added: AddReport, memory: MemoryReport) -> str:
    """Return the counts of a build of a memory, with an example of each reason to skip a game."""
    rows: list[list[object]] = []
    if added.games:
        rows = [["games read", f"{added.games:,}", ""], ["archived", f"{added.archived:,}", ""]]
        rows += skipped_rows(added)
    rows += [
        ["games in the memory", f"{memory.games:,}", ""],
        ["of which new", f"{memory.added:,}", ""],
        ["moves played", f"{memory.occurrences:,}", ""],
        ["different positions", f"{memory.positions:,}", ""],
        ["MB on disk", f"{memory.bytes / 1e6:,.0f}", ""],
    ]
    return table(["", "count", "for example"], rows, right="lr")


def _summary(search: PositionSearch) -> str:
    rows = move_rows(search.summary)
    moves = ["", table(MOVE_COLUMNS, rows, right="lrrrrr"), ""] if rows else []
    notes = summary_notes(search)
    if search.colours is Colours.SAME:
        notes.append("Only positions with the same colours; '--colours either' finds reversed ones, too.")
    return "\n".join([results_line(search.summary), *moves, *notes])


def _cell(hit: PositionHit, query: PositionQuery) -> Cell:
    board, _ = hit.as_query()
    title, occasion, *others = caption_of(hit, query.board)
    address = hit.game.game.url.removeprefix("https://")
    lines = [title, occasion, address, *others, *term_lines(hit.matched)]
    return Cell(board, lines, seen_by=query.board.turn)
