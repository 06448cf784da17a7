"""Learn what the attributes of search trees add to the estimates of a rating model.

    python -m training.tree_correction FEATURES.npz ATTRIBUTES.csv... puzzlegen/difficulty/models/NAME

FEATURES come from `training.puzzle_features`, ATTRIBUTES from `training.search_trees --out`. The error of
estimates by a model that has not seen the puzzles is predicted by ridge regression, since there are only some
hundred puzzles. The folder gets `tree.json`. Prints the root mean square error of estimates without and with
the correction, by tenfold cross-validation.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

from training.difficulty import FLAT_WEIGHT, Puzzles, train
from training.parts import read_trees
from training.scores import natural_weights

Array = npt.NDArray[np.float64]

FOLDS = 10

# How strongly weights are drawn to zero. The attributes have a standard deviation of 1.
RIDGE = 1000.0


def fit(attributes: Array, errors: Array) -> tuple[Array, float]:
    """Return the weights of the attributes and the constant of the correction."""
    means, spreads = attributes.mean(axis=0), attributes.std(axis=0)
    spreads[spreads == 0] = np.inf
    scaled = (attributes - means) / spreads
    centred = errors - errors.mean()
    weights = np.linalg.solve(scaled.T @ scaled + RIDGE * np.eye(scaled.shape[1]), scaled.T @ centred)
    weights /= spreads
    return weights, float(errors.mean() - means @ weights)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("features", type=Path)
    parser.add_argument("attributes", type=Path, nargs="+")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    puzzles = Puzzles.load(options.features)
    files = [read_trees(file) for file in options.attributes]
    trees = {name: row for file in files for name, row in zip(file.ids, file.attributes, strict=True)}
    rows = np.array([name in trees for name in puzzles.ids])
    attributes = np.array([trees[name] for name in np.array(puzzles.ids)[rows]])
    weights = FLAT_WEIGHT + natural_weights(puzzles.ratings, puzzles.lengths)
    model = train(puzzles.features[~rows], puzzles.ratings[~rows], weights[~rows], puzzles.names)
    errors = puzzles.ratings[rows] - np.asarray(model.predict(puzzles.features[rows]))
    fold = np.random.default_rng(1).permutation(len(errors)) % FOLDS
    left = np.empty(len(errors))
    for number in range(FOLDS):
        seen = fold != number
        by_attribute, constant = fit(attributes[seen], errors[seen])
        left[~seen] = errors[~seen] - attributes[~seen] @ by_attribute - constant
    without, corrected = (float(np.sqrt(np.mean(each**2))) for each in (errors, left))
    print(f"{len(errors)} puzzles, root mean square error {without:.1f}, corrected {corrected:.1f}")
    by_attribute, constant = fit(attributes, errors)
    by_name = dict(zip(files[0].names, by_attribute.tolist(), strict=True))
    correction = {"constant": constant, "weights": by_name}
    (options.folder / "tree.json").write_text(json.dumps(correction, indent=2) + "\n")


if __name__ == "__main__":
    main()
