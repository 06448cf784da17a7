"""Puzzles to write to files."""

from __future__ import annotations

import pytest

from db.games import game_number
from db.puzzles import add_puzzles
from db.store import Store
from tests.helpers.puzzle_files import BOARD


@pytest.fixture
def filled(store: Store) -> Store:
    common = {
        "puzzle_fen": BOARD.fen(),
        "solution": "b1b8",
        "source": "mined",
        "rating": None,
    }
    with store.session() as session:
        played = {"key": "k", "white": 'A "B" [C]', "date": "2024.01.02", "eco": "C60", "result": "1-0"}
        game = game_number(session, played)
        add_puzzles(
            session,
            [
                common
                | {"id": "whole", "fen": "6k1/1r3ppp/8/8/8/8/5PPP/1R4K1 b - - 0 1", "blunder": "b7b1"}
                | {"game_number": game},
                common | {"id": "bare", "fen": BOARD.fen(), "blunder": "", "game_number": None},
            ],
        )
    return store
