"""Shares with their 95 % confidence intervals."""

from __future__ import annotations

from typing import NamedTuple

# Standard errors on either side of a mean in a 95 % confidence interval.
STANDARD_ERRORS = 1.96


class Interval(NamedTuple):
    """A mean and its 95 % confidence interval."""

    mean: float
    low: float
    high: float


def share_interval(mean: float, trials: int) -> Interval:
    """Return the mean of `trials` values from 0 to 1 (at least one) with Wilson's score interval.

    SciPy has it for whole numbers of successes only, and a mean of reciprocal ranks is a fraction. Values
    between 0 and 1 vary less than zeros and ones with the same mean, so that the interval is conservative.
    """
    square = STANDARD_ERRORS**2
    middle = (mean + square / (2 * trials)) / (1 + square / trials)
    spread = (mean * (1 - mean) / trials + square / (4 * trials**2)) ** 0.5
    margin = STANDARD_ERRORS * spread / (1 + square / trials)
    return Interval(mean, max(0.0, middle - margin), min(1.0, middle + margin))
