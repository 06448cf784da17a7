"""Homework links: whose each is, and when it ends."""

from __future__ import annotations

from db.links import link_of, new_link, student_of
from db.store import Store


def test_a_new_link_ends_the_one_before(store: Store) -> None:
    with store.session() as session:
        others, first, second = (new_link(session, name) for name in ("Bob", "Ann", "Ann"))
        assert [student_of(session, token) for token in (others, first, second)] == ["Bob", None, "Ann"]
        assert (link_of(session, "Ann"), link_of(session, "Cleo")) == (second, None)


def test_what_is_no_token_opens_nothing(store: Store) -> None:
    with store.session() as session:
        new_link(session, "Ann")
        assert [student_of(session, text) for text in ("", "Ann", "\ud800")] == [None, None, None]
