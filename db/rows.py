"""Rows to be stored, before the database has numbered them: the columns of `db.models` by name.

A column that is left out gets its default. Rows that are stored together must have the same columns.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Required, TypedDict


class GameRow(TypedDict, total=False):
    """Columns of `Game`."""

    key: Required[str]
    white: str
    black: str
    white_elo: int | None
    black_elo: int | None
    event: str
    site: str
    date: str
    round: str
    result: str
    eco: str
    opening: str
    time_control: str
    url: str


class ArchivedGameRow(GameRow):
    """Columns of `Game` and of the `ArchivedGame` that refers to it."""

    start: Required[str]
    moves: Required[str]


class PuzzleRow(TypedDict, total=False):
    """Columns of `Puzzle`."""

    id: Required[str]
    kind: str
    fen: Required[str]
    blunder: str
    puzzle_fen: Required[str]
    solution: Required[str]
    accepted: str
    outcome: str
    solver_found: bool | None
    gap: float | None
    evaluations: dict[str, Any] | None
    nodes: dict[str, Any] | None
    engine: str
    audit_passed: bool | None
    audit: dict[str, Any] | None
    tags: str
    difficulty: float | None
    difficulty_margin: float | None
    first_move_chance: float | None
    source: Required[str]
    source_id: str
    rating: int | None
    rating_deviation: int | None
    popularity: int | None
    plays: int | None
    themes: str
    opening_tags: str
    game_url: str
    ply: int | None
    game_number: int | None
    run_number: int | None
    created: datetime
