"""Similar positions as an HTML page."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from chess_motif.boards import svg_board
from motifsearch.positions.query import PositionQuery
from motifsearch.positions.searcher import PositionHit
from motifsearch.views.board_grid import to_move
from motifsearch.views.html import link, render
from motifsearch.views.positions.words import (
    MOVE_COLUMNS,
    PositionSearch,
    colours_note,
    continuation,
    meanings,
    move_rows,
    occasion,
    players,
    results_line,
    same_pieces,
    sum_of_parts,
    summary_notes,
)


def positions_page(search: PositionSearch) -> str:
    """Return the page of a search: the query, a summary, and the positions found.

    All are seen from the same side, and with the colours of the query.
    """
    query, summary = search.query, search.summary
    return render(
        "positions.html",
        query={
            "svg": Markup(svg_board(query.board)),
            "id": query.puzzle.id if query.puzzle else None,
            "turn": to_move(query.board),
            "fen": query.board.fen(),
            "pieces": len(query.board.piece_map()),
        },
        warnings=search.warnings,
        results=results_line(summary),
        columns=MOVE_COLUMNS,
        next_moves=move_rows(summary),
        notes=summary_notes(search),
        cards=[_card(hit, query) for hit in search.hits],
        feature_set=search.feature_set,
        meanings=meanings(search.feature_set),
    )


def _card(hit: PositionHit, query: PositionQuery) -> dict[str, Any]:
    board, moves = hit.as_query()
    same = same_pieces(board, query.board)
    game = hit.game.game
    return {
        "svg": Markup(svg_board(board, moves[:1], seen_by=query.board.turn, marked=same)),
        "rank": hit.rank,
        "players": players(game),
        "occasion": occasion(game),
        "colours": colours_note(hit),
        "link": link(game.url),
        "move": board.fullmove_number,
        "turn": to_move(board),
        "continuation": continuation(board, moves),
        "same": len(same),
        "score": hit.score,
        "parts": hit.parts,
        "sum": sum_of_parts(hit),
        "matched": hit.matched,
        "fen": hit.board().fen(),
    }
