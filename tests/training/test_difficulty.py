"""Tests of how estimates are scored."""

from __future__ import annotations

import numpy as np
import pytest

from training.difficulty import LENGTHS, natural_weights, scores

RANDOM = np.random.default_rng(1)


def test_perfect_estimates() -> None:
    ratings = RANDOM.normal(1500, 500, 300)
    assert str(scores(ratings, ratings)) == "Spearman 1.000  MAE 0  RMSE 0  AUC 1.000"


def test_estimates_in_the_wrong_order() -> None:
    ratings = np.arange(30.0)
    result = scores(ratings, -ratings)
    assert (result.spearman, result.auc) == pytest.approx((-1, 0))


def test_errors_are_averaged() -> None:
    result = scores(np.array([0.0, 10.0]), np.array([3.0, 6.0]))
    assert (result.mae, result.rmse) == pytest.approx((3.5, 12.5**0.5))


def test_weights_count_as_copies() -> None:
    ratings, estimates = RANDOM.normal(size=60), RANDOM.normal(size=60)
    copies = RANDOM.integers(1, 5, 60)
    weighted = scores(ratings, estimates, copies.astype(float))
    repeated = scores(np.repeat(ratings, copies), np.repeat(estimates, copies))
    assert vars(weighted) == pytest.approx(vars(repeated))


def test_the_natural_spread() -> None:
    ratings, lengths = RANDOM.uniform(400, 3200, 20_000), RANDOM.integers(1, 7, 20_000).astype(float)
    weights = natural_weights(ratings, lengths)
    mean = np.average(ratings, weights=weights)
    spread = np.sqrt(np.average((ratings - mean) ** 2, weights=weights))
    assert (mean, spread) == pytest.approx((1510, 554), abs=5)
    assert np.average(lengths == 2, weights=weights) == pytest.approx(LENGTHS[2], abs=0.01)
