"""Counting what is in the store."""

from __future__ import annotations

from db.games import game_number
from db.puzzles import add_puzzles
from db.store import Store
from puzzlegen.upkeep.stats import count_store
from tests.helpers.rows import puzzle_row


def test_everything_is_counted(store: Store) -> None:
    with store.session() as session:
        game = game_number(session, {"key": "k"})
        add_puzzles(
            session,
            [
                puzzle_row(
                    "one",
                    solution="e2e4 e7e5 d2d4",
                    game_number=game,
                    gap=0.8,
                    solver_found=True,
                    outcome="mate",
                ),
                puzzle_row(
                    "two",
                    solution="e2e4 e7e5 d2d4",
                    game_number=game,
                    gap=0.6,
                    solver_found=False,
                    outcome="mate",
                ),
                puzzle_row("three", source="lichess", rating=900),
                puzzle_row("four", source="lichess", rating=1900),
            ],
        )
    assert count_store(store).as_dict() == {
        "puzzles": 4,
        "games": 1,
        "sources": {"mined": 2, "lichess": 2},
        "ends": {"mate": 2, "unknown": 2},
        "solver_moves": {"1": 2, "2": 2},
        "strict": 1,
        "found_in_game": 1,
        "ratings": [900, 1900],
    }


def test_an_empty_store(store: Store) -> None:
    assert count_store(store).as_dict()["ratings"] is None
