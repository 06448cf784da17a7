"""Counting what is in the store."""

from __future__ import annotations

from dataclasses import asdict

from db.games import game_number
from db.models import Game
from db.puzzles import add_puzzles
from db.store import Store
from puzzlegen.upkeep.stats import count_tags, stats
from tests.helpers.rows import puzzle_row


def test_everything_is_counted(store: Store) -> None:
    with store.session() as session:
        game = game_number(session, Game(key="k"))
        mined = {"solution": "e2e4 e7e5 d2d4", "game_number": game, "outcome": "mate"}
        puzzles = [
            puzzle_row("one", gap=0.8, solver_found=True, **mined),
            puzzle_row("two", gap=0.6, solver_found=False, **mined),
            puzzle_row("three", source="lichess", rating=900),
            puzzle_row("four", source="lichess", rating=1900),
        ]
        add_puzzles(session, puzzles)
    assert asdict(stats(store)) == {
        "puzzles": 4,
        "exercises": 0,
        "games": 1,
        "sources": {"mined": 2, "lichess": 2},
        "ends": {"mate": 2, "unknown": 2},
        "verdicts": {},
        "solver_moves": {"1": 2, "2": 2},
        "strict": 1,
        "found_in_game": 1,
        "ratings": [900, 1900],
        "last_change": 2,
    }


def test_an_empty_store(store: Store) -> None:
    assert stats(store).ratings is None


def test_tags_are_counted_with_the_themes_of_sources(store: Store) -> None:
    puzzles = [
        puzzle_row("one", tags="fork short", themes="fork ourOwnTheme"),
        puzzle_row("two", tags="fork short"),
        puzzle_row("three", tags="short", themes="fork"),
    ]
    with store.session() as session:
        add_puzzles(session, puzzles)
    counts = {count.tag: count.puzzles for count in count_tags(store)}
    assert {name: count for name, count in counts.items() if count} == {
        "fork": 3,
        "short": 3,
        "ourOwnTheme": 1,
    }
    assert counts["skewer"] == 0


def test_a_tag_as_a_dictionary(sqlite_store: Store) -> None:
    counts = [asdict(count) for count in count_tags(sqlite_store)]
    assert {
        "tag": "enPassant", "group": "motif", "definition": "A pawn captures en passant.", "puzzles": 0
    } in counts  # fmt: skip
