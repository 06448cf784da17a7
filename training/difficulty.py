"""Train the rating model on the features of rated puzzles, and measure it on puzzles that it has never seen.

    python -m training.difficulty FEATURES.npz puzzlegen/difficulty/models/NAME

FEATURES come from `training.puzzle_features`. The folder gets the two models and `about.json`, with what they
were made from and how well they do. Two test results are printed: for the pool as it is, and weighted so that
ratings and lengths are spread as among all puzzles of Lichess.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import lightgbm
import numpy as np
import numpy.typing as npt

from training.scores import Scores, natural_weights, scores

Array = npt.NDArray[np.float64]

# Chosen by cross-validation on the puzzles that are not for the test.
RATING = {
    "objective": "regression",
    "extra_trees": True,
    "learning_rate": 0.03,
    "num_leaves": 31,
    "min_child_samples": 40,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "seed": 1,
    "verbose": -1,
    "deterministic": True,
}
TREES = 1200

# The margin holds for this share of puzzles.
COVERED = 0.8
MARGIN = RATING | {"objective": "quantile", "alpha": COVERED, "num_leaves": 15}
MARGIN_TREES = 300
FOLDS = 5

# Each training puzzle weighs this much more than for the natural spread: rare kinds count, too.
FLAT_WEIGHT = 1.0


@dataclass(frozen=True)
class Puzzles:
    """Puzzles with their features by name, their ratings, and whether they are for the test.

    `human_model` is the digest of the model that some features come from.
    """

    names: list[str]
    features: Array
    ratings: Array
    test: npt.NDArray[np.bool_]
    human_model: str

    @classmethod
    def load(cls, file: Path) -> Puzzles:
        with np.load(file) as arrays:
            return cls(
                arrays["names"].tolist(),
                arrays["features"].astype(np.float64),
                arrays["ratings"],
                arrays["test"],
                str(arrays["human_model"]),
            )

    @property
    def lengths(self) -> Array:
        return self.features[:, self.names.index("moves")]


def train(features: Array, ratings: Array, weights: Array, names: list[str]) -> lightgbm.Booster:
    data = lightgbm.Dataset(features, ratings, weight=weights, feature_name=names)
    return lightgbm.train(RATING, data, TREES)


def train_margin(features: Array, ratings: Array, weights: Array, names: list[str]) -> lightgbm.Booster:
    """Return a model of how far off the rating model is, trained on puzzles that it did not learn from."""
    folds = np.random.default_rng(1).integers(FOLDS, size=len(ratings))
    errors = np.empty(len(ratings))
    for fold in range(FOLDS):
        seen = folds != fold
        model = train(features[seen], ratings[seen], weights[seen], names)
        errors[~seen] = np.abs(model.predict(features[~seen]) - ratings[~seen])
    data = lightgbm.Dataset(features, errors, weight=weights, feature_name=names)
    return lightgbm.train(MARGIN, data, MARGIN_TREES)


def plot(ratings: Array, estimates: Array, file: Path) -> None:
    """Draw the estimates of the puzzles for the test against their ratings, with medians."""
    # Imported only here: it belongs to the extra `bench`.
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 6))
    axes.plot(ratings, estimates, ".", markersize=1.5, alpha=0.35, color="#4477aa")
    hundreds = np.arange(500, 2900, 100)
    medians = [np.median(estimates[np.abs(ratings - middle) <= 50]) for middle in hundreds]
    axes.plot(hundreds, medians, color="#cc3311", label="median estimate")
    axes.plot([400, 3200], [400, 3200], color="black", linewidth=0.8, label="perfect")
    axes.set(xlim=(400, 3200), ylim=(400, 3200), xlabel="rating on Lichess", ylabel="estimated difficulty")
    axes.legend()
    figure.savefig(file, dpi=110, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("features", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--plot", type=Path, help="draw estimates against ratings, for the documentation")
    options = parser.parse_args()
    puzzles = Puzzles.load(options.features)
    seen, test = ~puzzles.test, puzzles.test
    weights = FLAT_WEIGHT + natural_weights(puzzles.ratings[seen], puzzles.lengths[seen])
    natural = natural_weights(puzzles.ratings[test], puzzles.lengths[test])
    results: dict[str, dict[str, Scores]] = {}
    cheap = [name for name in puzzles.names if "@" not in name]
    for kind, names in (("cheap features", cheap), ("all features", puzzles.names)):
        columns = [puzzles.names.index(name) for name in names]
        table = puzzles.features[:, columns]
        model = train(table[seen], puzzles.ratings[seen], weights, names)
        estimates = np.asarray(model.predict(table[test]))
        results[kind] = {
            "pool": scores(puzzles.ratings[test], estimates),
            "natural": scores(puzzles.ratings[test], estimates, natural),
        }
        for spread, values in results[kind].items():
            print(f"{kind:16}{spread:10}{values}", flush=True)
    margin = train_margin(table[seen], puzzles.ratings[seen], weights, names)
    within = np.abs(estimates - puzzles.ratings[test]) <= np.asarray(margin.predict(table[test]))
    covered = {"pool": float(within.mean()), "natural": float(np.average(within, weights=natural))}
    print(f"within the margin: {covered}")
    options.folder.mkdir(parents=True, exist_ok=True)
    model.save_model(options.folder / "rating.txt")
    margin.save_model(options.folder / "margin.txt")
    ratings = sorted({int(name.partition("@")[2]) for name in puzzles.names if "@" in name})
    about = {
        "human_model": puzzles.human_model,
        "ratings": ratings,
        "made_from": f"{seen.sum():,} rated puzzles of Lichess",
        "tested_on": f"{test.sum():,} rated puzzles of Lichess, from other games",
        "scores": {kind: {spread: asdict(s) for spread, s in by.items()} for kind, by in results.items()},
        "within_margin": covered,
    }
    if options.plot is not None:
        plot(puzzles.ratings[test], estimates, options.plot)
    (options.folder / "about.json").write_text(json.dumps(about, indent=2) + "\n")


if __name__ == "__main__":
    main()
