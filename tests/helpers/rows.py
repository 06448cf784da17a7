"""Rows to store."""

from __future__ import annotations

from typing import Any

import chess

from db.models import ArchivedGame, Game, Puzzle


def puzzle_row(name: str, **columns: Any) -> Puzzle:
    """Return a puzzle; `columns` says in what it differs from an unrated one without a game."""
    usual: dict[str, Any] = {
        "id": name,
        "fen": chess.STARTING_FEN,
        "puzzle_fen": chess.STARTING_FEN,
        "solution": "e2e4",
        "source": "mined",
    }
    number = columns.pop("number", None)
    puzzle = Puzzle(**usual | columns)
    if number is not None:
        puzzle.number = number
    return puzzle


def game_row(key: str, start: str = "", moves: str = "", **columns: Any) -> ArchivedGame:
    """Return a game to archive of which nothing is known but its moves and `columns`."""
    return ArchivedGame(start=start, moves=moves, game=Game(key=key, **columns))
