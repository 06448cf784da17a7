"""Similar positions as an HTML page."""

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
from motifsearch.views.position_json import (
    continuation,
    meanings,
    occasion,
    players,
    same_pieces,
    sum_of_parts,
)


def positions_page(query: PositionQuery, hits: Sequence[PositionHit], feature_set: FeatureSet) -> str:
    """Return the page of a search: the query, then the positions found, all seen from the same side."""
    return render(
        "positions.html",
        query={
            "svg": Markup(svg_board(query.board)),
            "id": query.puzzle.id if query.puzzle else None,
            "turn": to_move(query.board),
            "fen": query.board.fen(),
            "pieces": len(query.board.piece_map()),
        },
        cards=[_card(hit, query) for hit in hits],
        feature_set=feature_set,
        meanings=meanings(feature_set),
    )


def _card(hit: PositionHit, query: PositionQuery) -> dict[str, Any]:
    board, moves = hit.played()
    same = same_pieces(board, query.board)
    game = hit.game.game
    return {
        "svg": Markup(svg_board(board, moves[:1], seen_by=query.board.turn, marked=same)),
        "rank": hit.rank,
        "players": players(game),
        "occasion": occasion(game),
        "link": link(game.url),
        "move": board.fullmove_number,
        "turn": to_move(board),
        "continuation": continuation(board, moves),
        "same": len(same),
        "score": hit.score,
        "parts": hit.parts,
        "sum": sum_of_parts(hit),
        "matched": hit.matched,
        "fen": board.fen(),
    }
