"""Results of searches that are kept."""

from __future__ import annotations

from db.evaluations import keep_evaluations, known_evaluations, lookup
from db.store import Store


def test_the_store_keeps_what_was_there_first(store: Store) -> None:
    with store.session() as session:
        keep_evaluations(session, {b"a" * 16: "1 e2e4"})
        keep_evaluations(session, {b"a" * 16: "2 d2d4", b"\x00" * 16: "#3 g1f3"})
    with store.reading() as session:
        found = known_evaluations(session, [b"a" * 16, b"\x00" * 16, b"c" * 16])
    assert found == {b"a" * 16: "1 e2e4", b"\x00" * 16: "#3 g1f3"}


def test_they_are_looked_up_without_a_session(store: Store) -> None:
    known = lookup(store)
    assert known([b"a" * 16]) == {}
    with store.session() as session:
        keep_evaluations(session, {b"a" * 16: "1 e2e4"})
    assert known([b"a" * 16, b"c" * 16]) == {b"a" * 16: "1 e2e4"}
