"""Positions that were found, as an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from chess_motif.boards import svg_board
from motifsearch.positions.feature_sets import FeatureSet
from motifsearch.positions.query import PositionQuery
from motifsearch.positions.searcher import PositionHit
from motifsearch.views.board_grid import to_move
from motifsearch.views.html import link, render
from motifsearch.views.position_json import meanings, occasion, players, same_pieces, sum_of_parts, went_on


def positions_page(query: PositionQuery, found: Sequence[PositionHit], feature_set: FeatureSet) -> str:
    """Return the page of a search: the query, then the positions found, all seen by one side."""
    return render(
        "positions.html",
        query={
            "svg": Markup(svg_board(query.board)),
            "id": query.puzzle.id if query.puzzle else None,
            "turn": to_move(query.board),
            "fen": query.board.fen(),
            "pieces": len(query.board.piece_map()),
        },
        cards=[_card(one, query) for one in found],
        feature_set=feature_set,
        meanings=meanings(feature_set),
    )


def _card(found: PositionHit, query: PositionQuery) -> dict[str, Any]:
    board, moves = found.played()
    same = same_pieces(board, query.board)
    game = found.game.game
    return {
        "svg": Markup(svg_board(board, moves[:1], seen_by=query.board.turn, marked=same)),
        "rank": found.rank,
        "players": players(game),
        "occasion": occasion(game),
        "link": link(game.url),
        "move": board.fullmove_number,
        "turn": to_move(board),
        "went_on": went_on(board, moves),
        "same": len(same),
        "score": found.score,
        "parts": found.parts,
        "sum": sum_of_parts(found),
        "matched": found.matched,
        "fen": board.fen(),
    }
