"""Two scores as one."""

from __future__ import annotations

import pytest

from motifsearch.runs.fusion import BEST, Shares, fused


def test_a_position_that_is_the_best_by_both_has_the_best_score() -> None:
    assert sum(fused({"a": 30.0, "b": 20.0}, {"a": 100.0, "b": 50.0})["a"]) == pytest.approx(BEST)


def test_each_score_has_its_weight() -> None:
    shares = fused({"a": 40.0, "b": 20.0}, {"a": 10.0, "b": 80.0}, 0.25)["b"]
    assert shares == pytest.approx(Shares(37.5, 20))


@pytest.mark.parametrize(("weight", "first"), [(0.1, "a"), (0.9, "b")])
def test_the_best_come_first(weight: float, first: str) -> None:
    assert next(iter(fused({"a": 40.0, "b": 20.0}, {"a": 40.0, "b": 60.0}, weight))) == first


def test_of_equal_ones_that_with_more_terms_comes_first() -> None:
    assert [*fused({"a": 20.0, "b": 40.0}, {"a": 100.0, "b": 50.0}, 0.5)] == ["b", "a"]


def test_without_a_term_vectors_decide() -> None:
    assert [*fused({"a": 0.0, "b": 0.0}, {"a": 50.0, "b": 60.0})] == ["b", "a"]
