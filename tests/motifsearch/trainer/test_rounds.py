"""What somebody solves one after the other, and why."""

from __future__ import annotations

import pytest

from db.store import Store
from db.training import OpportunityKind, extend_set, opportunities_of
from motifsearch.trainer.rounds import Badge, begin, open_round, some_missed, today
from tests.helpers.missed_opportunities import FORK, opportunity_row, store_game


@pytest.mark.parametrize(
    ("kind", "badge"),
    [
        (OpportunityKind.WIN, Badge.MISSED),
        (OpportunityKind.SAVE, Badge.MISSED),
        (OpportunityKind.ALLOWED, Badge.ALLOWED),
    ],
)
def test_a_puzzle_says_what_became_of_it_in_the_game(
    sqlite_store: Store, kind: OpportunityKind, badge: Badge
) -> None:
    store_game(sqlite_store, opportunity_row(*FORK, opportunity_kind=kind.value))
    with sqlite_store.session() as session:
        (stored,) = opportunities_of(session, ["Ann"], [kind])
        extend_set(session, "Lesson", "Ann", [(stored.puzzle_id, stored.number)])
    with sqlite_store.reading() as session:
        entries = today(session, "Ann").entries
        missed = some_missed(session, "Ann")
    opened = open_round(sqlite_store, begin(sqlite_store, "Ann", "Today", entries))
    assert [item.badge for item in opened.state.items] == [badge]
    assert len(missed) == (badge is Badge.MISSED)
