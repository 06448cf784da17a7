"""Models that LightGBM fits predict the same without it."""

from __future__ import annotations

from pathlib import Path

import lightgbm
import numpy as np
import pytest

from puzzlegen.difficulty.trees import Trees
from training.difficulty import MARGIN, RATING
from training.trees import save_trees

NAMES = ["whole", "fraction", "seldom", "always_missing"]


def rows(number: int, seed: int) -> np.ndarray:
    """Return features: whole numbers, fractions, some that are missing in one row of three, and none."""
    random = np.random.default_rng(seed)
    table = np.column_stack(
        [random.integers(-3, 4, number), random.normal(size=(number, 2)), np.full(number, np.nan)]
    )
    table[random.random(number) < 1 / 3, 2] = np.nan
    return table


@pytest.mark.parametrize("parameters", [RATING, MARGIN], ids=["rating", "margin"])
def test_the_same_predictions(tmp_path: Path, parameters: dict[str, object]) -> None:
    table = rows(2000, seed=1)
    target = table[:, 0] * table[:, 1] + np.nan_to_num(table[:, 2], nan=2)
    data = lightgbm.Dataset(table, target, feature_name=NAMES)
    model = lightgbm.train(parameters | {"num_threads": 1}, data, 50)
    save_trees(model, tmp_path / "model.npz")
    trees = Trees.load(tmp_path / "model.npz")
    assert trees.names == NAMES
    # What was never missing in training may be missing later; so may what was always.
    unseen = rows(500, seed=2)
    unseen[::7, 0] = unseen[::5, 1] = np.nan
    unseen[::3, 3] = 1
    assert trees.predict(unseen) == pytest.approx(model.predict(unseen, num_threads=1), abs=1e-9)


def test_trees_without_a_split(tmp_path: Path) -> None:
    model = lightgbm.train(
        RATING | {"num_threads": 1}, lightgbm.Dataset(np.zeros((100, 1)), np.full(100, 7.0)), 2
    )
    save_trees(model, tmp_path / "model.npz")
    table = np.ones((1, 1))
    assert Trees.load(tmp_path / "model.npz").predict(table) == pytest.approx(model.predict(table))


def test_categories_are_refused(tmp_path: Path) -> None:
    table = np.arange(300.0).reshape(-1, 1) % 3
    data = lightgbm.Dataset(table, table[:, 0] == 1, categorical_feature=[0])
    model = lightgbm.train(RATING | {"min_data_per_group": 1, "num_threads": 1}, data, 5)
    with pytest.raises(ValueError, match="categories"):
        save_trees(model, tmp_path / "model.npz")
