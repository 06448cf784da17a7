"""Means, and differences of two means, with their 95 % confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev

from chess_motif.intervals import STANDARD_ERRORS, Interval


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the mean of values (at least two) with the normal interval, `STANDARD_ERRORS` on either side."""
    mean = fmean(values)
    margin = STANDARD_ERRORS * stdev(values) / len(values) ** 0.5
    return Interval(mean, mean - margin, mean + margin)


def paired_difference(first: Sequence[float], second: Sequence[float]) -> Interval:
    """Return the mean of `first` minus that of `second`, measured on the same things (at least two).

    The normal interval is that of the differences: what is hard for both does not make it wider. Raises
    `ValueError` unless the lengths are equal.
    """
    return mean_interval([one - other for one, other in zip(first, second, strict=True)])


def paired_share_difference(first: Sequence[float], second: Sequence[float]) -> Interval:
    """Return the share of ones in `first` minus that in `second`; both have a 0 or 1 for the same things.

    The interval is that of Agresti & Min ("Simple improved confidence intervals for comparing matched
    proportions", Statistics in Medicine 24, 2005): the normal one after half a thing is added for each of the
    four cases. So it has some width even if the two never differ. Raises `ValueError` unless the lengths are
    equal.
    """
    differences = [one - other for one, other in zip(first, second, strict=True)]
    count = len(differences) + 2
    middle = sum(differences) / count
    differing = sum(map(abs, differences)) + 1
    margin = STANDARD_ERRORS * (differing / count - middle**2) ** 0.5 / count**0.5
    return Interval(fmean(differences), max(-1.0, middle - margin), min(1.0, middle + margin))
