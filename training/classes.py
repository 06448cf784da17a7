"""Classes of difficulty, by the ratings of puzzles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


class Window(NamedTuple):
    """The ratings of a class in the thesis: the mean, and how far they are from it at most."""

    mean: float
    most: float


CLASSES = {"easy": Window(1254.6, 96), "medium": Window(1669.3, 80), "hard": Window(2088.8, 74)}


def class_of(rating: float) -> str:
    """Return the class of a rating in the thesis, empty if it is in none."""
    windows = CLASSES.items()
    return next((name for name, window in windows if abs(rating - window.mean) <= window.most), "")


def classes_of(ratings: Array, definition: str) -> npt.NDArray[np.str_]:
    """Return the class of each rating; empty for one that belongs to none."""
    if definition == "thesis":
        return np.array([class_of(rating) for rating in ratings])
    return np.array(list(CLASSES))[np.searchsorted(np.quantile(ratings, [1 / 3, 2 / 3]), ratings)]
