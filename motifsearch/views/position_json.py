"""Positions found as plain values: for JSON, and in words."""

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

# The parts of a score in words. That a piece can reach a square counts as pieces.
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
    Family.XRAY: "x-rays: pieces on the line of another, whatever is between (Q=pf2)",
}
_WITH_REACH = "pieces on the same squares, or a move away (Qf2)"

# Plies shown of how a game continued.
NEXT_PLIES = 6


def positions_document(
    query: PositionQuery, found: Sequence[PositionHit], feature_set: FeatureSet, why: bool
) -> dict[str, Any]:
    """Return a search and its results; `matched` only with `why`."""
    return {
        "query": {
            "fen": query.board.fen(),
            "id": query.puzzle.id if query.puzzle else None,
            "material": material_of(query.board),
            "run": str(feature_set),
        },
        "results": [_found_document(one, why) for one in found],
    }


def meanings(feature_set: FeatureSet) -> dict[Family, str]:
    """Return what each part of this feature set's scores means."""
    weights = WEIGHTS[feature_set]
    found = {family: meaning for family, meaning in _MEANINGS.items() if family in weights}
    return found | {Family.PLACED: _WITH_REACH} if Family.REACH in weights else found


def players(game: Game) -> str:
    """Return who played, with their Elo where it is known."""
    sides = ((game.white, game.white_elo), (game.black, game.black_elo))
    return " – ".join(f"{name or '?'} ({elo})" if elo else name or "?" for name, elo in sides)


def occasion(game: Game) -> str:
    """Return where and when a game was played, how it ended, and its opening's code, as far as known."""
    return ", ".join(filter(None, [game.event, game.date.rstrip("?."), game.result, game.eco]))


def went_on(board: chess.Board, moves: Sequence[chess.Move]) -> str:
    """Return the next moves of a game in SAN."""
    return solution_san(board, moves[:NEXT_PLIES]) if moves else "The game ended here."


def sum_of_parts(found: PositionHit) -> str:
    """Return a score as the sum of its parts, such as `38.20 = pieces 20.10 + attacks 18.10`."""
    parts = [f"{PARTS[family]} {score:.2f}" for family, score in found.parts.items()]
    return f"{found.score:.2f} = {' + '.join(parts)}"


def same_pieces(one: chess.Board, other: chess.Board) -> chess.SquareSet:
    """Return the squares on which two positions have the same piece."""
    # No two of these masks overlap.
    return chess.SquareSet(
        sum(
            one.pieces_mask(kind, color) & other.pieces_mask(kind, color)
            for color in chess.COLORS
            for kind in chess.PIECE_TYPES
        )
    )


def _found_document(found: PositionHit, why: bool) -> dict[str, Any]:
    game = found.game.game
    board, moves = found.played()
    document: dict[str, Any] = {
        "rank": found.rank,
        "score": found.score,
        "parts": found.parts,
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
        "ply": found.ply,
        "fen": board.fen(),
        "next_moves": [move.uci() for move in moves],
        "next_san": solution_san(board, moves),
    }
    if why:
        document["matched"] = [
            {"term": match.term, "family": match.family, "score": match.score} for match in found.matched
        ]
    return document
