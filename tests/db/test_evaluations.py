"""Results of searches that are kept."""

from __future__ import annotations

import chess
import pytest
from sqlalchemy import update

from chess_motif.errors import StoreError
from chess_motif.search import Search
from db.evaluations import (
    count_evaluations,
    evaluated_positions,
    keep_evaluations,
    lookup,
)
from db.models import Evaluation
from db.packed.verdicts import Verdict
from db.store import Store

# With an en-passant square, castling rights and a clock.
BOARD = chess.Board("r3k2r/8/8/3pP3/8/8/8/4K2R w Kkq d6 0 30")
LATER = chess.Board("r3k2r/8/8/3pP3/8/8/8/4K2R w Kkq - 7 30")
FIRST = Search.of(BOARD, "Fish", 10_000, 1)
SECOND = Search.of(LATER, "Fish", 200_000, 2, depth=12)
OTHER = Search.of(BOARD, "Fish", 10_001, 1)


def test_the_store_keeps_what_was_there_first(store: Store) -> None:
    known = lookup(store)
    assert known([FIRST]) == {}
    with store.session() as session:
        keep_evaluations(session, {FIRST: "1 e2e4"})
        keep_evaluations(session, {FIRST: "2 d2d4", SECOND: "#3 g1f3"})
    assert known([FIRST, SECOND, OTHER]) == {FIRST: "1 e2e4", SECOND: "#3 g1f3"}


def test_the_positions_are_kept_too(store: Store) -> None:
    with store.session() as session:
        keep_evaluations(session, {FIRST: "1 e2e4", SECOND: "#3 g1f3"})
    with store.reading() as session:
        entries = {entry.board.epd(): entry.verdicts for entry in evaluated_positions(session)}
    assert entries == {
        BOARD.epd(): [Verdict(0, "Fish", 10_000, 1, None, "1 e2e4")],
        LATER.epd(): [Verdict(7, "Fish", 200_000, 2, 12, "#3 g1f3")],
    }


def test_searches_of_older_versions_have_no_position(store: Store) -> None:
    with store.session() as session:
        keep_evaluations(session, {FIRST: "1 e2e4", SECOND: "#3 g1f3"})
        session.execute(update(Evaluation).where(Evaluation.key == FIRST.key).values(position=None))
    with store.reading() as session:
        assert count_evaluations(session) == (1, 1)
        assert [entry.board.epd() for entry in evaluated_positions(session)] == [LATER.epd()]


def test_a_damaged_position_is_an_error(store: Store) -> None:
    with store.session() as session:
        keep_evaluations(session, {FIRST: "1 e2e4"})
        session.execute(update(Evaluation).values(position=b"\xff" * 34))
    with store.reading() as session, pytest.raises(StoreError, match="not a packed position"):
        list(evaluated_positions(session))
