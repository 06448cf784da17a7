from __future__ import annotations

from db.puzzles import all_shown, delete_shown, mark_shown
from db.store import Store


def test_what_was_shown_to_whom(store: Store) -> None:
    with store.session() as session:
        mark_shown(session, "Bea", ["x"])
        mark_shown(session, "Ann", ["x", "y"])
        mark_shown(session, "Ann", ["y"])
    with store.reading() as session:
        assert [(shown.name, shown.puzzles) for shown in all_shown(session)] == [("Ann", 2), ("Bea", 1)]


def test_only_the_one_name_is_forgotten(store: Store) -> None:
    with store.session() as session:
        mark_shown(session, "Ann", ["x", "y"])
        mark_shown(session, "Bea", ["x"])
        assert delete_shown(session, "Ann") == 2
        assert [shown.name for shown in all_shown(session)] == ["Bea"]
