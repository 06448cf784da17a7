"""Similar positions as an HTML page."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from chess_motif.boards import svg_board, to_move
from chess_motif.pages.html import link, render
from motifsearch.positions.query import PositionQuery
from motifsearch.positions.searcher import PositionHit
from motifsearch.views.positions.words import (
    MOVE_COLUMNS,
    NOTHING_FOUND,
    PositionSearch,
    caption_of,
    meanings,
    move_rows,
    results_line,
    same_pieces,
    summary_notes,
)


def positions_page(search: PositionSearch) -> str:
    """Return the page of a search: the query, a summary, and the positions found.

    All are seen from the same side, and with the colours of the query.
    """
    query, summary = search.query, search.summary
    return render(
        "motifsearch/views/templates/positions.html",
        query={
            "svg": Markup(svg_board(query.board)),
            "id": query.puzzle.id if query.puzzle else None,
            "turn": to_move(query.board),
            "fen": query.board.fen(),
        },
        warnings=search.warnings,
        results=results_line(summary),
        columns=MOVE_COLUMNS,
        next_moves=move_rows(summary),
        notes=summary_notes(search),
        nothing_found=NOTHING_FOUND,
        cards=[_card(hit, query) for hit in search.hits],
        run=search.feature_set,
        meanings=meanings(search.feature_set),
    )


def _card(hit: PositionHit, query: PositionQuery) -> dict[str, Any]:
    board, moves = hit.as_query()
    same = same_pieces(board, query.board)
    return {
        "svg": Markup(svg_board(board, moves[:1], seen_by=query.board.turn, marked=same)),
        "caption": caption_of(hit, query.board),
        "link": link(hit.game.game.url),
        "hit": hit,
        "fen": hit.board().fen(),
    }
