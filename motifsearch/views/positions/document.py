"""Similar positions as plain values for JSON."""

from __future__ import annotations

from typing import Any

import chess

from chess_motif.boards import solution_san
from chess_motif.material import material_of
from motifsearch.positions.searcher import PositionHit
from motifsearch.positions.summary import Summary
from motifsearch.views.positions.words import PositionSearch

# Decimals of a share.
_SCORE_DIGITS = 3


def positions_document(search: PositionSearch, why: bool) -> dict[str, Any]:
    """Return the query and the results of a search; results have `matched` only with `why`."""
    query = search.query
    return {
        "query": {
            "fen": query.board.fen(),
            "id": query.puzzle.id if query.puzzle else None,
            "material": material_of(query.board),
            "run": search.feature_set,
            "colours": search.colours,
        },
        "warnings": list(search.warnings),
        "summary": _summary_document(search.summary),
        "results": [_hit_document(hit, why) for hit in search.hits],
    }


def _summary_document(summary: Summary) -> dict[str, Any]:
    results = summary.results
    return {
        "games": results.games,
        "reversed": summary.reversed,
        **vars(results),
        "white_score": _rounded(results.score()),
        "next_moves": [
            {
                "san": move.san,
                "side": chess.COLOR_NAMES[move.side],
                "games": move.results.games,
                **vars(move.results),
                "score": _rounded(move.score),
            }
            for move in summary.next_moves
        ],
    }


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, _SCORE_DIGITS)


def _hit_document(hit: PositionHit, why: bool) -> dict[str, Any]:
    game = hit.game.game
    board, moves = hit.played()
    document: dict[str, Any] = {
        "rank": hit.rank,
        "score": hit.score,
        "parts": hit.parts,
        "reversed": hit.reversed,
        "white": game.white,
        "black": game.black,
        "white_elo": game.white_elo,
        "black_elo": game.black_elo,
        "event": game.event,
        "site": game.site,
        "date": game.date,
        "round": game.round,
        "result": game.result,
        "eco": game.eco,
        "url": game.url or None,
        "ply": hit.ply,
        "fen": board.fen(),
        "next_moves": [move.uci() for move in moves],
        "next_san": solution_san(board, moves),
    }
    if why:
        document["matched"] = [
            {"term": match.term, "family": match.field, "score": match.score} for match in hit.matched
        ]
    return document
