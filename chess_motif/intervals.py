"""Shares, means, and differences of shares or means, with 95 % confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev
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

    SciPy has this interval for whole numbers of successes only, and a mean of reciprocal ranks is a fraction.
    Values between 0 and 1 vary less than zeros and ones with the same mean, so the interval is conservative.
    """
    square = STANDARD_ERRORS**2
    middle = (mean + square / (2 * trials)) / (1 + square / trials)
    spread = (mean * (1 - mean) / trials + square / (4 * trials**2)) ** 0.5
    margin = STANDARD_ERRORS * spread / (1 + square / trials)
    return Interval(mean, max(0.0, middle - margin), min(1.0, middle + margin))


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the mean of values (at least two) with the normal interval, `STANDARD_ERRORS` on either side."""
    mean = fmean(values)
    margin = STANDARD_ERRORS * stdev(values) / len(values) ** 0.5
    return Interval(mean, mean - margin, mean + margin)


def paired_difference(first: Sequence[float], second: Sequence[float]) -> Interval:
    """Return the mean of `first` minus that of `second`, measured on the same items (at least two).

    The interval is the normal one of the differences, so items that are hard for both do not widen it. Raises
    `ValueError` unless the lengths are equal.
    """
    return mean_interval([one - other for one, other in zip(first, second, strict=True)])


def paired_share_difference(first: Sequence[float], second: Sequence[float]) -> Interval:
    """Return the share of ones in `first` minus that in `second`, both zeros and ones for the same items.

    The interval is that of Agresti & Min ("Simple improved confidence intervals for comparing matched
    proportions", Statistics in Medicine 24, 2005): the normal interval after half an item is added for each
    of the four cases, which has some width even if the two never differ. Raises `ValueError` unless the
    lengths are equal.
    """
    differences = [one - other for one, other in zip(first, second, strict=True)]
    count = len(differences) + 2
    middle = sum(differences) / count
    differing = sum(map(abs, differences)) + 1
    margin = STANDARD_ERRORS * (differing / count - middle**2) ** 0.5 / count**0.5
    return Interval(fmean(differences), max(-1.0, middle - margin), min(1.0, middle + margin))
