"""Whose opportunities are found, and what became of them."""

from __future__ import annotations

import pytest

from db.analyses import (
    OpportunityKind,
    analysed_keys,
    count_analysed,
    opportunities_given,
    opportunities_of,
)
from db.store import Store
from tests.helpers.missed_opportunities import BLACKS_FORK, FORK, opportunity_row, store_game


def test_an_opportunity_belongs_to_who_is_to_move(store: Store) -> None:
    store_game(store, opportunity_row(*FORK, ply=20), opportunity_row(*BLACKS_FORK, ply=31))
    with store.reading() as session:
        assert [opportunity.ply for opportunity in opportunities_of(session, ["ann"])] == [20]
        assert [opportunity.ply for opportunity in opportunities_given(session, ["ann"])] == [31]


def test_what_was_allowed_is_kept_apart(store: Store) -> None:
    kinds = enumerate(OpportunityKind, 20)
    store_game(store, *(opportunity_row(*FORK, ply=ply, opportunity_kind=kind.value) for ply, kind in kinds))
    with store.reading() as session:
        assert [one.opportunity_kind for one in opportunities_of(session, ["Ann"])] == ["win", "save"]
        (allowed,) = opportunities_of(session, ["Ann"], [OpportunityKind.ALLOWED])
        assert allowed.ply == 22
        assert [one.opportunity_kind for one in opportunities_given(session, ["Bob"])] == ["win", "save"]


@pytest.mark.parametrize(
    ("kind", "missed", "taken"),
    [
        (OpportunityKind.WIN, "missed", "found"),
        (OpportunityKind.SAVE, "failed to save", "saved"),
        (OpportunityKind.ALLOWED, "allowed", "allowed"),
    ],
)
def test_what_became_of_an_opportunity(kind: OpportunityKind, missed: str, taken: str) -> None:
    rows = [opportunity_row(*FORK, opportunity_kind=kind.value, taken=value) for value in (False, True)]
    assert [row.result for row in rows] == [missed, taken]


def test_a_player_may_have_several_names(store: Store) -> None:
    store_game(store, opportunity_row(*FORK), key="one", white="Ann")
    store_game(store, opportunity_row(*FORK), key="two", white="Annie_99")
    store_game(store, opportunity_row(*FORK), key="three", white="Carl")
    with store.reading() as session:
        assert len(opportunities_of(session, ["ANN", "annie_99"])) == 2
        assert count_analysed(session, ["ann", "annie_99"]) == 2


def test_opportunities_come_in_the_order_of_their_games(store: Store) -> None:
    store_game(store, opportunity_row(*FORK), key="later", date="2024.05.01")
    store_game(
        store, opportunity_row(*FORK, ply=9), opportunity_row(*FORK, ply=3), key="earlier", date="2023.12.31"
    )
    with store.reading() as session:
        assert [(one.game.key, one.ply) for one in opportunities_of(session, ["Ann"])] == [
            ("earlier", 3),
            ("earlier", 9),
            ("later", 20),
        ]


def test_a_game_without_opportunities_is_analysed_too(store: Store) -> None:
    store_game(store, key="quiet")
    with store.reading() as session:
        assert analysed_keys(session) == {"quiet"}


def test_what_a_missed_opportunity_costs() -> None:
    assert opportunity_row(*FORK, after=0.9, reply=-0.5).lost == 0.7
    assert opportunity_row(*FORK, taken=True, after=0.9, reply=0.5).lost == 0
