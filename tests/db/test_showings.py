from __future__ import annotations

from db.puzzles import mark_shown, shown_counts
from db.store import Store


def test_what_was_shown_to_whom(store: Store) -> None:
    with store.session() as session:
        mark_shown(session, "Bea", ["x"])
        mark_shown(session, "Ann", ["x", "y"])
        mark_shown(session, "Ann", ["y"])
    with store.reading() as session:
        assert shown_counts(session) == {"Ann": 2, "Bea": 1}
