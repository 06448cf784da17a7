"""Engines that work in parallel."""

from __future__ import annotations

from collections.abc import Sequence

import chess
import pytest

from chess_motif.errors import EngineFailedError
from chess_motif.search import Search
from engines.pool import EnginePool
from engines.search_cache import CachedEngine
from tests.helpers.fake_engine import FakeEngine

NODES = 100


def first_move(board: chess.Board, searcher: CachedEngine) -> str:
    return searcher.search(board, NODES)[0].move.uci()


def test_results_are_in_the_order_of_the_items(fake_engine: FakeEngine) -> None:
    asked = [chess.Board(f"4k3/8/8/8/8/8/4P3/4K3 w - - {clock} 30") for clock in range(5)]
    with EnginePool(fake_engine("late@1"), 2) as pool:
        assert [done.item for done in pool.map(first_move, asked)] == asked


def test_what_is_looked_up_is_not_searched(fake_engine: FakeEngine) -> None:
    def lookup(searches: Sequence[Search]) -> dict[Search, str]:
        return dict.fromkeys(searches, "5 h2h4")

    with EnginePool(fake_engine(), 1, lookup) as pool:
        (done,) = pool.map(first_move, [chess.Board()])
    assert (done.result, done.searched, done.reused) == ("h2h4", {}, 1)


def test_new_searches_are_returned(fake_engine: FakeEngine) -> None:
    with EnginePool(fake_engine(), 1) as pool:
        (done,) = pool.map(first_move, [chess.Board()])
    assert [*done.searched.values()] == ["19 a2a3"]


def test_work_is_done_again_after_a_failure(fake_engine: FakeEngine) -> None:
    with EnginePool(fake_engine("die@1"), 1) as pool:
        assert [done.result for done in pool.map(first_move, [chess.Board()])] == ["a2a3"]


def test_an_engine_that_keeps_failing_is_an_error(fake_engine: FakeEngine) -> None:
    with EnginePool(fake_engine("die@always"), 1) as pool, pytest.raises(EngineFailedError):
        next(pool.map(first_move, [chess.Board()]))
