"""Whose opportunities are found, and what a second analysis leaves."""

from __future__ import annotations

from sqlalchemy import select

from db.store import Store
from db.training import (
    Opportunity,
    SetPuzzle,
    TrainingSet,
    analysed_keys,
    count_analysed,
    extend_set,
    opportunities_given,
    opportunities_of,
)
from tests.helpers.missed_opportunities import BLACKS_FORK, FORK, opportunity_row, store_game


def test_an_opportunity_belongs_to_who_is_to_move(store: Store) -> None:
    store_game(store, opportunity_row(*FORK, ply=20), opportunity_row(*BLACKS_FORK, ply=31))
    with store.reading() as session:
        assert [opportunity.ply for opportunity in opportunities_of(session, ["ann"])] == [20]
        assert [opportunity.ply for opportunity in opportunities_given(session, ["ann"])] == [31]


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


def test_a_second_analysis_replaces_the_first(store: Store) -> None:
    store_game(store, opportunity_row(*FORK, ply=20), opportunity_row(*FORK, ply=30))
    with store.session() as session:
        kept, gone = (opportunity.number for opportunity in opportunities_of(session, ["Ann"]))
        session.add(TrainingSet(name="set", solver="Ann"))
        session.flush()
        extend_set(session, 1, [("one", kept), ("two", gone)])
    store_game(store, opportunity_row(*FORK, ply=20, taken=True), opportunity_row(*FORK, ply=40))
    with store.reading() as session:
        opportunities = {opportunity.ply: opportunity for opportunity in session.scalars(select(Opportunity))}
        assert opportunities.keys() == {20, 40}
        assert (opportunities[20].number, opportunities[20].taken) == (kept, True)
        assert session.scalars(select(SetPuzzle.puzzle_id)).all() == ["one"]


def test_what_a_missed_opportunity_costs() -> None:
    assert opportunity_row(*FORK, after=0.9, reply=-0.5).lost == 0.7
    assert opportunity_row(*FORK, taken=True, after=0.9, reply=0.5).lost == 0
