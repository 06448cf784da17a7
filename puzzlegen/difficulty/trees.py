"""Boosted trees, as LightGBM fits them (Ke et al., "LightGBM", NIPS 2017), without LightGBM.

LightGBM, with SciPy which it needs, would be two fifths of the installation. `training/trees.py` converts a
model of LightGBM to a file of NumPy arrays; the predictions are the same.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.integer]


class Trees:
    """A model that is the sum of trees. `names` are the names of the features.

    `splits` has the number of splits of each tree, which has one leaf more. The other arrays have all splits,
    tree by tree: a row whose value in `column` is at most `threshold` goes `left`, any other `right`; a
    missing value (NaN) goes left if `missing_left`. `left` and `right` are the numbers of splits in the tree
    or, if a number n is negative, of the leaf ~n. `leaves` has the values of all leaves.
    """

    def __init__(
        self,
        names: npt.NDArray[np.str_],
        splits: Integers,
        column: Integers,
        threshold: Floats,
        missing_left: npt.NDArray[np.bool_],
        left: Integers,
        right: Integers,
        leaves: Floats,
    ) -> None:
        self.names: list[str] = names.tolist()
        self._threshold, self._leaves = threshold, leaves
        # Values are looked up in two copies of a row: in the first copy, missing values go left.
        self._column = column.astype(np.intp) + np.where(missing_left, 0, len(names))
        # The leaves are numbered after all splits, and lead to themselves.
        splits = splits.astype(np.intp)
        first, count = np.cumsum(splits) - splits, len(column)

        def numbered(targets: Integers, tree: Integers) -> Integers:
            return np.where(targets >= 0, first[tree] + targets, count + first[tree] + tree + ~targets)

        trees = np.arange(len(splits))
        self._roots = numbered(np.where(splits > 0, 0, ~0), trees)
        tree = np.repeat(trees, splits)
        self._left, self._right = (numbered(targets.astype(np.intp), tree) for targets in (left, right))
        self._ends = np.arange(count, count + len(leaves))

    @classmethod
    def load(cls, file: Path) -> Trees:
        """Open a model."""
        with np.load(file) as arrays:
            return cls(**arrays)

    def predict(self, table: Floats) -> Floats:
        """Return a prediction for each row of a table, which has a column for each of `names`."""
        missing = np.isnan(table)
        copies = [np.where(missing, lowest, table) for lowest in (-np.inf, np.inf)]
        return np.array([self._sum(row) for row in np.hstack(copies)])

    def _sum(self, row: Floats) -> float:
        # All splits at once: in NumPy, a few large steps are fast.
        after = np.where(row[self._column] <= self._threshold, self._left, self._right)
        after = np.concatenate([after, self._ends])
        at = self._roots
        while at.min() < len(self._column):
            at = after[at]
        return float(self._leaves[at - len(self._column)].sum())
