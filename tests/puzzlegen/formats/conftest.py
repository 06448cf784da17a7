"""Puzzles to write to files."""

from __future__ import annotations

import pytest

from db.games import game_number
from db.models import Game
from db.puzzles import add_puzzles
from db.store import Store
from tests.helpers.puzzle_files import BOARD
from tests.helpers.rows import puzzle_row


@pytest.fixture
def filled(sqlite_store: Store) -> Store:
    mate = {"puzzle_fen": BOARD.fen(), "solution": "b1b8"}
    before = {"fen": "5k2/5ppp/8/8/8/8/5PPP/1R4K1 b - - 0 1", "blunder": "f8g8"}
    with sqlite_store.session() as session:
        game = game_number(
            session,
            Game(key="k", white='A "B" [C]', date="2024.01.02", eco="C60", result="1-0"),
        )
        puzzles = [
            puzzle_row("whole", **before, **mate, game_number=game),
            puzzle_row("bare", fen=BOARD.fen(), **mate),
        ]
        add_puzzles(session, puzzles)
    return sqlite_store
