"""Similar positions for a terminal, as boards of figurines; and the counts of archived games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chess_motif.tables import table
from motifsearch.positions.feature_sets import FeatureSet
from motifsearch.positions.index import PositionsReport
from motifsearch.positions.query import PositionQuery
from motifsearch.positions.searcher import PositionHit
from motifsearch.views.board_grid import Cell, grid, term_lines, to_move
from motifsearch.views.position_json import (
    continuation,
    meanings,
    occasion,
    players,
    same_pieces,
    sum_of_parts,
)

# For annotations only: a search should not load what reads games.
if TYPE_CHECKING:
    from motifsearch.positions.archiving import AddReport


def positions_text(
    query: PositionQuery, hits: Sequence[PositionHit], feature_set: FeatureSet, width: int
) -> str:
    """Return the query and the results for a terminal of `width` columns, all seen from the same side."""
    title = f"Puzzle {query.puzzle.id}" if query.puzzle else "Position"
    query_cell = Cell(query.board, [f"{title}, {to_move(query.board)}"])
    boards = grid(query_cell, [_cell(hit, query) for hit in hits], width)
    if not hits:
        return (
            f"{boards}\n\nNo game that passes the filters has a position that shares a term with the query."
        )
    return "\n".join([boards, "", "Scores:", *(f"  {meaning}" for meaning in meanings(feature_set).values())])


def added_text(report: AddReport, index: PositionsReport) -> str:
    """Return the counts of archived games, with an example of each reason to skip a game."""
    rows: list[list[object]] = [
        ["games read", f"{report.games:,}", ""],
        ["archived", f"{report.archived:,}", ""],
        ["already archived", f"{report.known:,}", ""],
    ]
    rows += [
        [f"skipped: {reason}", f"{count:,}", report.examples[reason]]
        for reason, count in report.skipped.most_common()
    ]
    rows.append(["positions in the index", f"{index.indexed:,}", ""])
    if index.positions:
        rows += [["newly indexed", f"{index.positions:,}", ""], ["positions/s", f"{index.rate:,.0f}", ""]]
    next_command = (
        'motifsearch positions similar "FEN"' if index.indexed else "motifsearch positions add GAMES"
    )
    return f"{table(['', 'count', 'for example'], rows, right='lr')}\n\nNext: {next_command}"


def _cell(hit: PositionHit, query: PositionQuery) -> Cell:
    game = hit.game.game
    board, moves = hit.played()
    same, pieces = len(same_pieces(board, query.board)), len(query.board.piece_map())
    lines = [
        f"{hit.rank}. {players(game)}",
        occasion(game),
        game.url.removeprefix("https://"),
        f"Move {board.fullmove_number}, {to_move(board)}",
        continuation(board, moves),
        f"{same} of {pieces} pieces on the same squares",
        sum_of_parts(hit),
    ]
    return Cell(board, lines + term_lines(hit.matched), seen_by=query.board.turn)
