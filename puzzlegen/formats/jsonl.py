"""Puzzles as JSON objects, and as files with one object per line (JSON lines)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TextIO

from db.models import Puzzle


def write(out: TextIO, puzzles: Iterable[Puzzle]) -> int:
    """Write a line with a JSON object for each puzzle. Return how many."""
    written = 0
    for puzzle in puzzles:
        print(json.dumps(as_dict(puzzle), ensure_ascii=False), file=out)
        written += 1
    return written


def as_dict(puzzle: Puzzle) -> dict[str, Any]:
    """Return a puzzle as the keys and values of its JSON object. Unknown values are None or empty."""
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
        "tags": puzzle.all_tags(),
        "outcome": puzzle.outcome or None,
        "gap": puzzle.gap,
        "solver_found": puzzle.solver_found,
        "evaluations": puzzle.evaluations,
        "nodes": puzzle.nodes,
        "engine": puzzle.engine or None,
        "audit_passed": puzzle.audit_passed,
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
