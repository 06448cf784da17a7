"""The reason for a wrong move that is found while the solver goes on."""

from __future__ import annotations

import pytest

from db.store import Store
from motifsearch.trainer.explaining import explain
from motifsearch.trainer.plan import some_of_set
from motifsearch.trainer.rounds import OpenRound, Refuted, begin, open_round, save
from tests.motifsearch.web.conftest import STUDENT, add_puzzles

ALSO_WINS = ("alsowins", "6k1/5ppp/8/8/3q4/8/3R1PPP/R5K1 w - - 0 1", "a1a8", "")


@pytest.fixture
def wrong(sqlite_store: Store) -> OpenRound:
    """A round whose last move was wrong, so far as is known."""
    add_puzzles(sqlite_store, ALSO_WINS)
    with sqlite_store.reading() as session:
        number = begin(sqlite_store, STUDENT, "", some_of_set(session, STUDENT, "Lesson"))
    return played(sqlite_store, number, "d2d4")


def played(store: Store, number: int, move: str) -> OpenRound:
    opened = open_round(store, number)
    assert opened.solving is not None
    opened.try_again()
    opened.solving.play(move)
    save(store, opened)
    return open_round(store, number)


def test_a_reason_leaves_the_version(sqlite_store: Store, wrong: OpenRound) -> None:
    explain(sqlite_store, wrong, Refuted(sentence="Because."))
    now = open_round(sqlite_store, wrong.number)
    assert now.state.refuted == Refuted(sentence="Because.")
    assert now.version == wrong.version


@pytest.mark.parametrize(("also_wins", "mistakes"), [(True, 0), (False, 1)])
def test_what_was_done_since_stays(
    sqlite_store: Store, wrong: OpenRound, also_wins: bool, mistakes: int
) -> None:
    played(sqlite_store, wrong.number, "a1a8")
    explain(sqlite_store, wrong, Refuted(also_wins=also_wins))
    now = open_round(sqlite_store, wrong.number)
    assert now.solving is not None
    assert now.state.refuted is None
    assert (now.solving.solved, now.solving.mistakes) == (True, mistakes)


def test_a_reason_found_twice_excuses_once(sqlite_store: Store, wrong: OpenRound) -> None:
    for _ in range(2):
        explain(sqlite_store, wrong, Refuted(also_wins=True))
    solving = open_round(sqlite_store, wrong.number).solving
    assert solving is not None
    assert solving.mistakes == 0
