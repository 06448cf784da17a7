"""What sets hold, and in which order."""

from __future__ import annotations

import pytest

from chess_motif.errors import InputError
from db.puzzles import delete_puzzles
from db.store import Store
from db.training import (
    TrainingSet,
    all_sets,
    delete_set,
    extend_set,
    get_set,
    opportunities_of,
    set_entries,
    sets_for,
)
from tests.helpers.missed_opportunities import BACK_RANK, FORK, opportunity_row, store_game


@pytest.fixture
def with_set(store: Store) -> Store:
    """A store with a set of two missed opportunities, the later one first."""
    store_game(store, opportunity_row(*FORK, ply=20), opportunity_row(*BACK_RANK, ply=30))
    with store.session() as session:
        opportunities = opportunities_of(session, ["Ann"])
        session.add(TrainingSet(name="evening", solver="Ann"))
        session.flush()
        extend_set(session, 1, [(opportunities[1].puzzle_id, opportunities[1].number)])
        extend_set(session, 1, [(opportunities[0].puzzle_id, opportunities[0].number)])
    return store


def test_a_set_keeps_its_order(with_set: Store) -> None:
    with with_set.reading() as session:
        entries = set_entries(session, get_set(session, "evening").number)
        assert [entry.opportunity.ply for entry in entries] == [30, 20]
        assert all(entry.is_own for entry in entries)


def test_a_puzzle_that_was_deleted_is_left_out(with_set: Store) -> None:
    with with_set.session() as session:
        first, second = set_entries(session, 1)
        delete_puzzles(session, [first.puzzle.id])
    with with_set.reading() as session:
        assert [entry.puzzle.id for entry in set_entries(session, 1)] == [second.puzzle.id]


@pytest.mark.parametrize("name", ["evening", "Ann"])
def test_sets_are_found_by_name_and_by_solver(with_set: Store, name: str) -> None:
    with with_set.reading() as session:
        assert [(each.name, each.puzzles) for each in sets_for(session, name)] == [("evening", 2)]


def test_a_set_that_is_not_there(with_set: Store) -> None:
    with (
        with_set.reading() as session,
        pytest.raises(InputError, match=r"no training set 'evenig'.*'evening'"),
    ):
        sets_for(session, "evenig")


def test_a_deleted_set_leaves_its_puzzles(with_set: Store) -> None:
    with with_set.session() as session:
        delete_set(session, 1)
    with with_set.reading() as session:
        assert all_sets(session) == []
        assert len(opportunities_of(session, ["Ann"])) == 2
