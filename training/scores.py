"""How well estimates agree with ratings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

# How puzzles are spread on Lichess. The ratings have a mean of 1510 and a standard deviation of 554; so has
# the normal distribution with these parameters between 400 and 3200. Lengths are solver moves, as of the
# Lichess puzzles with play counts in our data.
CENTRE, WIDTH = 1455.0, 618.0
LENGTHS = {1: 0.116, 2: 0.576, 3: 0.234, 4: 0.074}

RATING_BINS = np.arange(400, 3201, 100)
ROUNDS = 50


@dataclass(frozen=True)
class Scores:
    """Rank correlation, mean absolute and root mean squared error, AUC of easy against hard thirds."""

    spearman: float
    mae: float
    rmse: float
    auc: float

    def __str__(self) -> str:
        return f"Spearman {self.spearman:.3f}  MAE {self.mae:.0f}  RMSE {self.rmse:.0f}  AUC {self.auc:.3f}"


def scores(ratings: Array, estimates: Array, weights: Array | None = None) -> Scores:
    weights = np.ones(len(ratings)) if weights is None else weights
    errors = estimates - ratings
    ranks = _ranks(ratings, weights)
    easy, hard = ranks <= 1 / 3, ranks > 2 / 3
    return Scores(
        _correlation(ranks, _ranks(estimates, weights), weights),
        float(np.average(np.abs(errors), weights=weights)),
        float(np.sqrt(np.average(errors**2, weights=weights))),
        _auc(estimates[easy], weights[easy], estimates[hard], weights[hard]),
    )


def natural_weights(ratings: Array, lengths: Array) -> Array:
    """Return weights, 1 on average, that give the puzzles the natural spread of ratings and lengths."""
    bins = np.clip(np.digitize(ratings, RATING_BINS) - 1, 0, len(RATING_BINS) - 2)
    middles = RATING_BINS[:-1] + 50
    shares = np.exp(-0.5 * ((middles - CENTRE) / WIDTH) ** 2)
    lengths = np.minimum(lengths, max(LENGTHS))
    weights = np.ones(len(ratings))
    # Raking: each spread in turn, until both fit.
    for _ in range(ROUNDS):
        for length, share in LENGTHS.items():
            weights[lengths == length] *= share / weights[lengths == length].sum()
        for number, share in enumerate(shares / shares.sum()):
            among = bins == number
            if among.any():
                weights[among] *= share / weights[among].sum()
    return np.asarray(weights / weights.mean())


def _ranks(values: Array, weights: Array) -> Array:
    """Return by each value which share of all weight is below it, ties in the middle."""
    distinct, places = np.unique(values, return_inverse=True)
    each = np.bincount(places, weights, len(distinct))
    return np.asarray(((np.cumsum(each) - each / 2) / weights.sum())[places])


def _correlation(one: Array, other: Array, weights: Array) -> float:
    one, other = one - np.average(one, weights=weights), other - np.average(other, weights=weights)
    covariance = np.average(one * other, weights=weights)
    spread = np.average(one**2, weights=weights) * np.average(other**2, weights=weights)
    return float(covariance / np.sqrt(spread))


def _auc(low: Array, low_weights: Array, high: Array, high_weights: Array) -> float:
    """Return how often a value of `high` is above one of `low`."""
    weights = np.concatenate([low_weights, np.zeros(len(high))])
    distinct, places = np.unique(np.concatenate([low, high]), return_inverse=True)
    each = np.bincount(places, weights, len(distinct))
    below = (np.cumsum(each) - each / 2)[places][len(low) :]
    return float(np.average(below, weights=high_weights) / low_weights.sum())
