"""Positions found, for a terminal: boards of figurines, the query first. And what was archived."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chess_motif.tables import table
from motifsearch.positions.feature_sets import FeatureSet
from motifsearch.positions.index import PositionsReport
from motifsearch.positions.query import PositionQuery
from motifsearch.positions.searcher import PositionHit
from motifsearch.views.board_grid import Cell, grid, term_lines, to_move
from motifsearch.views.position_json import meanings, occasion, players, same_pieces, sum_of_parts, went_on

# Only for annotations: a search should not load what reads games.
if TYPE_CHECKING:
    from motifsearch.positions.archiving import AddReport


def positions_text(
    query: PositionQuery, found: Sequence[PositionHit], feature_set: FeatureSet, width: int
) -> str:
    """Return the query's board and those found, for a terminal of `width` columns, all seen by one side."""
    title = f"Puzzle {query.puzzle.id}" if query.puzzle else "Position"
    asked = Cell(query.board, [f"{title}, {to_move(query.board)}"])
    boards = grid(asked, [_cell(one, query) for one in found], width)
    if not found:
        return f"{boards}\n\nNo game that fits has a position that shares a term with it."
    return "\n".join([boards, "", "Scores:", *(f"  {meaning}" for meaning in meanings(feature_set).values())])


def added_text(report: AddReport, index: PositionsReport) -> str:
    """Return what came of archiving games: counts, with an example of each reason to skip a game."""
    rows: list[list[object]] = [
        ["games read", f"{report.games:,}", ""],
        ["archived", f"{report.archived:,}", ""],
        ["known before", f"{report.known:,}", ""],
    ]
    rows += [
        [f"skipped: {reason}", f"{count:,}", report.examples[reason]]
        for reason, count in report.skipped.most_common()
    ]
    rows.append(["positions in the index", f"{index.indexed:,}", ""])
    if index.positions:
        rows += [["of these new", f"{index.positions:,}", ""], ["positions/s", f"{index.rate:,.0f}", ""]]
    following = 'motifsearch positions similar "FEN"' if index.indexed else "motifsearch positions add GAMES"
    return f"{table(['', 'count', 'for example'], rows, right='lr')}\n\nNext: {following}"


def _cell(found: PositionHit, query: PositionQuery) -> Cell:
    game = found.game.game
    board, moves = found.played()
    same, pieces = len(same_pieces(board, query.board)), len(query.board.piece_map())
    lines = [
        f"{found.rank}. {players(game)}",
        occasion(game),
        game.url.removeprefix("https://"),
        f"Move {board.fullmove_number}, {to_move(board)}",
        went_on(board, moves),
        f"{same} of {pieces} pieces on the same squares",
        sum_of_parts(found),
    ]
    return Cell(board, lines + term_lines(found.matched), seen_by=query.board.turn)
