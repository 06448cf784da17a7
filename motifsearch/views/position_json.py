"""Similar positions as plain values for JSON, and the parts of their descriptions in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import chess

from chess_motif.boards import solution_san
from chess_motif.material import material_of
from db.models import Game
from motifsearch.positions.feature_sets import WEIGHTS, FeatureSet
from motifsearch.positions.query import PositionQuery
from motifsearch.positions.searcher import PositionHit
from motifsearch.positions.terms import Family

# The parts of a score in words. Matches of reach terms count as pieces.
PARTS = {
    Family.PLACED: "pieces",
    Family.ATTACK: "attacks",
    Family.DEFENCE: "defences",
    Family.XRAY: "x-rays",
}

# What each part means, with an example of its terms.
_MEANINGS = {
    Family.PLACED: "pieces on the same squares (Qf2)",
    Family.ATTACK: "attacks (Q>pf2)",
    Family.DEFENCE: "defences (Q<Pf2)",
    Family.XRAY: "x-rays: enemy pieces on a line, whatever is in between (Q=pf2)",
}
_WITH_REACH = "pieces on the same squares, or one move away (Qf2)"

# The number of plies shown of the rest of a game.
NEXT_PLIES = 6


def positions_document(
    query: PositionQuery, hits: Sequence[PositionHit], feature_set: FeatureSet, why: bool
) -> dict[str, Any]:
    """Return the query and the results of a search; results have `matched` only with `why`."""
    return {
        "query": {
            "fen": query.board.fen(),
            "id": query.puzzle.id if query.puzzle else None,
            "material": material_of(query.board),
            "run": str(feature_set),
        },
        "results": [_hit_document(hit, why) for hit in hits],
    }


def meanings(feature_set: FeatureSet) -> dict[Family, str]:
    """Return what each part of a score means with this feature set."""
    weights = WEIGHTS[feature_set]
    used = {family: meaning for family, meaning in _MEANINGS.items() if family in weights}
    return used | {Family.PLACED: _WITH_REACH} if Family.REACH in weights else used


def players(game: Game) -> str:
    """Return the players, with their Elo ratings where they are known."""
    sides = ((game.white, game.white_elo), (game.black, game.black_elo))
    return " – ".join(f"{name or '?'} ({elo})" if elo else name or "?" for name, elo in sides)


def occasion(game: Game) -> str:
    """Return the event, the date, the result and the ECO code of a game, as far as they are known."""
    return ", ".join(filter(None, [game.event, game.date.rstrip("?."), game.result, game.eco]))


def continuation(board: chess.Board, moves: Sequence[chess.Move]) -> str:
    """Return the next moves of a game in SAN."""
    return solution_san(board, moves[:NEXT_PLIES]) if moves else "The game ended here."


def sum_of_parts(hit: PositionHit) -> str:
    """Return a score as the sum of its parts, such as `38.20 = pieces 20.10 + attacks 18.10`."""
    parts = [f"{PARTS[family]} {score:.2f}" for family, score in hit.parts.items()]
    return f"{hit.score:.2f} = {' + '.join(parts)}"


def same_pieces(board: chess.Board, other: chess.Board) -> chess.SquareSet:
    """Return the squares on which two positions have the same piece."""
    # No two of these masks overlap.
    return chess.SquareSet(
        sum(
            board.pieces_mask(kind, color) & other.pieces_mask(kind, color)
            for color in chess.COLORS
            for kind in chess.PIECE_TYPES
        )
    )


def _hit_document(hit: PositionHit, why: bool) -> dict[str, Any]:
    game = hit.game.game
    board, moves = hit.played()
    document: dict[str, Any] = {
        "rank": hit.rank,
        "score": hit.score,
        "parts": hit.parts,
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
            {"term": match.term, "family": match.family, "score": match.score} for match in hit.matched
        ]
    return document
