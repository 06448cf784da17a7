"""A stored puzzle as plain values, for JSON and for text."""

from __future__ import annotations

from typing import Any

import chess

from db.models import Puzzle
from puzzlegen.motifs.replay import capture_square


def moves_of(puzzle: Puzzle) -> list[chess.Move]:
    """Return the solution as moves, solver first."""
    return [chess.Move.from_uci(move) for move in puzzle.solution.split()]


def taken_before(puzzle: Puzzle) -> chess.Square | None:
    """Return the square on which the opponent's move before the puzzle captured; None if it is not known."""
    if not puzzle.blunder:
        return None
    return capture_square(chess.Board(puzzle.fen), chess.Move.from_uci(puzzle.blunder))


def tags_of(puzzle: Puzzle) -> list[str]:
    """Return the puzzle's own tags and its source's themes as one sorted list."""
    return sorted({*puzzle.tags.split(), *puzzle.themes.split()})


def origin_of(puzzle: Puzzle) -> str:
    """Return where a puzzle comes from, in a few words: its game, its address, or its source."""
    game = puzzle.game
    if game is not None and (game.white or game.black):
        words = [f"{game.white or '?'} – {game.black or '?'}", game.event, game.date]
        return ", ".join(word for word in words if word)
    return puzzle.game_url or " ".join(filter(None, [puzzle.source, puzzle.source_id]))


def as_dict(puzzle: Puzzle) -> dict[str, Any]:
    """Return a puzzle as the JSON contract names its parts; what is unknown is None or empty."""
    game = puzzle.game
    return {
        "id": puzzle.id,
        "source": puzzle.source,
        "source_id": puzzle.source_id or None,
        "fen": puzzle.fen,
        "blunder": puzzle.blunder or None,
        "puzzle_fen": puzzle.puzzle_fen,
        "solution": puzzle.solution.split(),
        "rating": puzzle.rating,
        "rating_deviation": puzzle.rating_deviation,
        "popularity": puzzle.popularity,
        "plays": puzzle.plays,
        "difficulty": puzzle.difficulty,
        "tags": tags_of(puzzle),
        "ends": puzzle.ends or None,
        "stable": puzzle.stable,
        "gap": puzzle.gap,
        "found": puzzle.found,
        "evaluations": puzzle.evaluations,
        "nodes": puzzle.nodes,
        "engine": puzzle.engine or None,
        "holds": puzzle.holds,
        "audit": puzzle.audit,
        "opening_tags": puzzle.opening_tags.split(),
        "game_url": puzzle.game_url or None,
        "ply": puzzle.ply,
        "white": game.white if game else None,
        "black": game.black if game else None,
        "white_elo": game.white_elo if game else None,
        "black_elo": game.black_elo if game else None,
        "event": game.event if game else None,
        "date": game.date if game else None,
        "result": game.result if game else None,
        "eco": game.eco if game else None,
    }
