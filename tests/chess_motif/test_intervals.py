"""Confidence intervals of shares, of means, and of differences of two of them."""

from __future__ import annotations

import pytest

from chess_motif.intervals import mean_interval, paired_difference, paired_share_difference, share_interval

# Variance 4/3, standard error 1.
FOUR = [9.0, 11.0, 9.0, 11.0]


@pytest.mark.parametrize(
    ("mean", "trials", "low", "high"),
    [(0.0, 10, 0.0, 0.2775), (0.5, 10, 0.2366, 0.7634), (1.0, 10, 0.7225, 1.0), (0.25, 100, 0.1755, 0.3430)],
)
def test_wilsons_interval(mean: float, trials: int, low: float, high: float) -> None:
    assert share_interval(mean, trials) == pytest.approx((mean, low, high), abs=1e-4)


def test_a_mean_has_1_96_standard_errors_on_either_side() -> None:
    error = (4 / 3) ** 0.5 / 2
    assert mean_interval(FOUR) == pytest.approx((10, 10 - 1.96 * error, 10 + 1.96 * error))


def test_what_differs_between_the_pairs_does_not_widen_the_interval_of_the_difference() -> None:
    assert paired_difference([1, 101, 1001], [0, 100, 1000]) == pytest.approx((1, 1, 1))


def test_differences_need_pairs() -> None:
    with pytest.raises(ValueError, match="shorter"):
        paired_difference([1, 2], [1])


def test_shares_that_are_never_different_may_still_differ() -> None:
    found = paired_share_difference([1] * 60, [1] * 60)
    assert found == pytest.approx((0, -1.96 / 62, 1.96 / 62))


def test_the_interval_of_a_difference_of_shares_is_that_of_agresti_and_min() -> None:
    # 6 things for the first alone, 2 for the second alone, 12 for both.
    first, second = [1] * 6 + [0] * 2 + [1] * 12, [0] * 6 + [1] * 2 + [1] * 12
    margin = 1.96 * ((9 - 16 / 22) / 22**2) ** 0.5
    assert paired_share_difference(first, second) == pytest.approx((0.2, 4 / 22 - margin, 4 / 22 + margin))
