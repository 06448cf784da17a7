"""Rows to store. Each has the same columns, so that any of them can be stored together."""

from __future__ import annotations

from typing import Any, cast

import chess

from db.rows import ArchivedGameRow, PuzzleRow


def puzzle_row(name: str, **columns: Any) -> PuzzleRow:
    """Return a puzzle; `columns` says in what it differs from an unrated one without a game."""
    row: PuzzleRow = {
        "id": name,
        "fen": chess.STARTING_FEN,
        "blunder": "",
        "puzzle_fen": chess.STARTING_FEN,
        "solution": "e2e4",
        "outcome": "",
        "solver_found": None,
        "gap": None,
        "difficulty": None,
        "first_move_chance": None,
        "tags": "",
        "source": "mined",
        "source_id": "",
        "rating": None,
        "themes": "",
        "game_number": None,
    }
    return changed(row, **columns)


def changed(row: PuzzleRow, **columns: Any) -> PuzzleRow:
    """Return a puzzle with other values in some columns, also in those that the store fills in itself."""
    return cast(PuzzleRow, row | columns)


def game_row(key: str, start: str = "", moves: str = "", **columns: Any) -> ArchivedGameRow:
    """Return a game to archive of which nothing is known but its moves and `columns`."""
    row: ArchivedGameRow = {
        "key": key,
        "white": "",
        "black": "",
        "white_elo": None,
        "black_elo": None,
        "date": "",
        "result": "",
        "eco": "",
        "start": start,
        "moves": moves,
    }
    return cast(ArchivedGameRow, row | columns)
