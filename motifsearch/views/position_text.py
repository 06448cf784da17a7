"""Positions that were found, for a terminal: boards of figurines, the query first."""

from __future__ import annotations

from collections.abc import Sequence

from motifsearch.positions.feature_sets import FeatureSet
from motifsearch.positions.query import PositionQuery
from motifsearch.positions.searcher import PositionHit
from motifsearch.views.board_grid import Cell, grid, term_lines, to_move
from motifsearch.views.position_json import meanings, occasion, players, same_men, sum_of_parts, went_on


def positions_text(query: PositionQuery, found: Sequence[PositionHit], run: FeatureSet, width: int) -> str:
    """Return the query's board and those found, for a terminal of `width` columns, all seen by one side."""
    title = f"Puzzle {query.puzzle.id}" if query.puzzle else "Position"
    asked = Cell(query.board, [f"{title}, {to_move(query.board)}"])
    drawn = grid(asked, [_captioned(one, query) for one in found], width)
    if not found:
        return f"{drawn}\n\nNo game that fits has a position that shares a term with it."
    return "\n".join([drawn, "", "Scores:", *(f"  {meaning}" for meaning in meanings(run).values())])


def _captioned(found: PositionHit, query: PositionQuery) -> Cell:
    game = found.game.game
    board, moves = found.played()
    same, men = len(same_men(board, query.board)), len(query.board.piece_map())
    lines = [
        f"{found.rank}. {players(game)}",
        occasion(game),
        game.url.removeprefix("https://"),
        f"Move {board.fullmove_number}, {to_move(board)}",
        went_on(board, moves),
        f"{same} of {men} men stand the same",
        sum_of_parts(found),
    ]
    return Cell(board, lines + term_lines(found.matched), seen_by=query.board.turn)
