"""Classes of difficulty."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from training.thesis import class_of, classes_of


@pytest.mark.parametrize(
    ("rating", "name"),
    [(1158, ""), (1159, "easy"), (1350, "easy"), (1351, ""), (1669, "medium"), (2089, "hard"), (2163, "")],
)
def test_classes_of_the_thesis_have_gaps(rating: float, name: str) -> None:
    assert class_of(rating) == name


def test_thirds_have_none() -> None:
    ratings = np.random.default_rng(1).permutation(np.arange(600.0, 1500.0))
    classes = classes_of(ratings, "thirds")
    assert Counter(classes.tolist()) == {"easy": 300, "medium": 300, "hard": 300}
    assert ratings[classes == "easy"].max() < ratings[classes == "medium"].min()
