"""Confidence intervals of shares."""

from __future__ import annotations

import pytest

from chess_motif.intervals import share_interval


@pytest.mark.parametrize(
    ("mean", "trials", "low", "high"),
    [(0.0, 10, 0.0, 0.2775), (0.5, 10, 0.2366, 0.7634), (1.0, 10, 0.7225, 1.0), (0.25, 100, 0.1755, 0.3430)],
)
def test_wilsons_interval(mean: float, trials: int, low: float, high: float) -> None:
    assert share_interval(mean, trials) == pytest.approx((mean, low, high), abs=1e-4)
