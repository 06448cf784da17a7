"""Values in a database that no version of ours has written."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from chess_motif.errors import StoreError
from db.puzzles import add_puzzles, get_puzzle
from db.store import Store
from tests.helpers.rows import puzzle_row


@pytest.fixture
def stored(sqlite_store: Store) -> str:
    row = puzzle_row("one")
    with sqlite_store.session() as session:
        add_puzzles(session, [row])
    return row.id


def change(store: Store, values: str) -> None:
    with store.session() as session:
        session.execute(text(f"UPDATE puzzles SET {values}"))


@pytest.mark.parametrize(
    "values",
    [
        "tags = x'1b5b'",
        "rating = 'many'",
        "gap = 'x'",
        "evaluations = '[1'",
        "nodes = '7'",
        "created = 'soon'",
    ],
)
def test_a_value_of_another_type_is_damage(sqlite_store: Store, stored: str, values: str) -> None:
    change(sqlite_store, values)
    with sqlite_store.reading() as session, pytest.raises(StoreError, match="damaged"):
        get_puzzle(session, stored)


@pytest.mark.parametrize("values", ["puzzle_fen = 'x'", "solution = 'e2e9'", "solution = ''"])
def test_moves_that_cannot_be_played_are_damage(sqlite_store: Store, stored: str, values: str) -> None:
    change(sqlite_store, values)
    with sqlite_store.reading() as session:
        puzzle = get_puzzle(session, stored)
    with pytest.raises(StoreError, match=f"{stored} is damaged"):
        puzzle.moves()


def test_text_is_cleaned(sqlite_store: Store, stored: str) -> None:
    change(sqlite_store, "themes = char(27) || 'fork' || char(8238)")
    with sqlite_store.reading() as session:
        assert get_puzzle(session, stored).themes == "fork"
