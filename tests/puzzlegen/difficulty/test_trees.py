"""Trees by hand, and what LightGBM 4.6 predicted with the trees that the package ships."""

from __future__ import annotations

import numpy as np
import pytest

from puzzlegen.difficulty.rating import MODELS
from puzzlegen.difficulty.trees import Trees

# x <= 0.5 ? (y <= 2 ? 1 : 2) : 4, where a missing x goes right and a missing y left; and a leaf, 100.
BY_HAND = Trees(
    names=np.array(["x", "y"]),
    splits=np.array([2, 0], np.uint16),
    column=np.array([0, 1], np.uint16),
    threshold=np.array([0.5, 2.0]),
    missing_left=np.array([False, True]),
    left=np.array([1, ~0], np.int16),
    right=np.array([~2, ~1], np.int16),
    leaves=np.array([1.0, 2.0, 4.0, 100.0]),
)

# Of three made-up rows.
BY_LIGHTGBM = {
    "maia-1100/rating": [1395.1526446778018, 1305.2217065446762, 1432.3439158784913],
    "maia-1100/margin": [375.45859099725305, 362.8591041523894, 421.6102575211238],
    "shipped/rating": [1409.8560121289174, 1266.1018969143938, 1586.18470581174],
    "shipped/margin": [410.6124576163486, 397.9987378328226, 420.3816806748723],
}


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [(0.5, 2, 101), (0.5, 2.5, 102), (0.6, 2, 104), (np.nan, 2, 104), (0, np.nan, 101)],
)
def test_the_way_through_a_tree(x: float, y: float, expected: float) -> None:
    assert BY_HAND.predict(np.array([[x, y]])).tolist() == [expected]


def test_rows_do_not_change_one_another() -> None:
    assert BY_HAND.predict(np.array([[0.5, 3], [1, 1], [0, 0]])).tolist() == [102, 104, 101]


@pytest.mark.parametrize("name", BY_LIGHTGBM)
def test_the_trees_that_are_shipped(name: str) -> None:
    trees = Trees.load(MODELS / f"{name}.npz")
    row, column = np.indices((3, len(trees.names)))
    table = (row * 7919 + column * 104729) % 1009 / 50 - 10
    table[(row + column) % 5 == 0] = np.nan
    assert trees.predict(table) == pytest.approx(BY_LIGHTGBM[name], abs=1e-9)
