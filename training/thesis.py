"""The experiment of the thesis on difficulty: can attributes of search trees tell easy from hard puzzles?

    python -m training.thesis attributes PUZZLES.csv.zst [--sample natural] [--minutes 25] [--out FILE.csv]
    python -m training.thesis classify ATTRIBUTES.csv [--classes thirds]

After Stoiljkovikj, *Computer-based estimation of the difficulty of chess tactical problems* (Ljubljana 2015).

`attributes` analyses a random sample of the rated puzzles of a Lichess CSV by one engine, one after the
other, until the time is up: of the natural spread of ratings and lengths (see `training.difficulty`), of the
spread in the file, or as many of each class of the thesis. It prints a table and JSON: positions searched,
engine nodes and seconds of a puzzle, the share of trees that were cut and of those without a move; then how
well a model of all attributes predicts ratings in a tenfold cross-validation. `--out` writes the attributes
of each puzzle with its id and rating.

`classify` reads that file: several classifiers, ten-fold cross-validation, the attributes 1 to 10 of Table
2.1, 11 to 17, and all. There are two definitions of the classes. Those of the thesis are narrow, with gaps in
between; thirds of the puzzles in the file have none, but the outer two are wide. Figures for one cannot be
compared with figures for the other. It prints accuracy and AUC (each class against the others, the mean
weighted by size).
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import lightgbm
import numpy as np
import numpy.typing as npt

from chess_motif.tables import table
from engines.engine import Engine, find_engine
from puzzlegen.difficulty.attributes import TreeAttributes
from puzzlegen.difficulty.tree import meaningful_tree
from training.difficulty import Scores, natural_weights, scores
from training.parts import LichessRow, puzzle_position, read_puzzles

Array = npt.NDArray[np.float64]


FOLDS = 10

# Some hundred puzzles: small trees that are learnt slowly.
ROUNDS = 300
PARAMETERS = {
    "objective": "regression",
    "learning_rate": 0.02,
    "num_leaves": 8,
    "min_data_in_leaf": 15,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "num_threads": 1,
    "seed": 1,
    "deterministic": True,
    "verbose": -1,
}

# Attributes 11 to 17 of Table 2.1; those with a level have a name such as `Distance(1)`.
SECOND_GROUP = {
    "Distance",
    "SumDistance",
    "AverageDistance",
    "Pieces",
    "AllPiecesInvolved",
    "PieceValueRatio",
    "WinningNoCheckmate",
}


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


def measure_trees(rows: Sequence[LichessRow], minutes: float, out: Path | None) -> None:
    """Analyse puzzles until the time is up, print what the trees cost and are worth, and write them."""
    puzzles = list(analysed(rows, minutes))
    if out:
        write(puzzles, out)
    trees = [puzzle.attributes.tree for puzzle in puzzles]
    shares = {
        "cut": float(np.mean([not tree.complete for tree in trees])),
        "without a move": float(np.mean([not tree.root.moves for tree in trees])),
    }
    cost, agreement = costs(puzzles), quality(puzzles)
    cells = [[name, f"{mean:,.1f}", f"{most:,.1f}"] for name, (mean, most) in cost.items()]
    print(table(["a puzzle", "mean", "95 %"], cells, right="lrr"), end="\n\n")
    cells = [["puzzles", f"{len(puzzles)}"], *([name, f"{share:.1%}"] for name, share in shares.items())]
    print(table(["", ""], cells, right="lr"), end="\n\n")
    print(agreement)
    print(json.dumps({"puzzles": len(puzzles), "cost": cost, "trees": shares, "ratings": asdict(agreement)}))


@dataclass(frozen=True)
class AnalysedPuzzle:
    """A puzzle with its rating, its attributes, and what they cost."""

    name: str
    rating: int
    attributes: TreeAttributes
    nodes: int
    seconds: float


def sample(path: Path, spread: str, seed: int) -> list[LichessRow]:
    """Return puzzles of a Lichess CSV that have a rating, in random order."""
    rated = [row for row in read_puzzles(path) if row["Rating"]]
    ratings = np.array([float(row["Rating"]) for row in rated])
    weights = np.ones(len(rated))
    if spread == "natural":
        weights = natural_weights(ratings, np.array([len(row["Moves"].split()) // 2 for row in rated]))
    elif spread == "classes":
        classes = np.array([class_of(rating) for rating in ratings])
        sizes = {name: np.count_nonzero(classes == name) for name in CLASSES}
        weights = np.array([1 / sizes[name] if name else 0.0 for name in classes])
    # Each puzzle comes after a random time, the sooner the more it weighs.
    order = np.argsort(np.random.default_rng(seed).exponential(size=len(rated)) / np.maximum(weights, 1e-12))
    return [rated[number] for number in order[: np.count_nonzero(weights)]]


def analysed(rows: Sequence[LichessRow], minutes: float) -> Iterator[AnalysedPuzzle]:
    """Yield the analysis of one puzzle after the other until the time is up."""
    end = time.monotonic() + 60 * minutes
    with Engine(find_engine()) as engine:
        for row in rows:
            if time.monotonic() > end:
                return
            nodes, started = engine.nodes, time.perf_counter()
            attributes = TreeAttributes(meaningful_tree(puzzle_position(row), engine))
            seconds = time.perf_counter() - started
            yield AnalysedPuzzle(
                row["PuzzleId"], int(row["Rating"]), attributes, engine.nodes - nodes, seconds
            )


def predicted(attributes: Array, ratings: Array) -> Array:
    """Return ratings predicted by models that have not seen the puzzle."""
    fold = np.random.default_rng(1).permutation(len(ratings)) % FOLDS
    predictions = np.empty(len(ratings))
    for number in range(FOLDS):
        seen = fold != number
        model = lightgbm.train(PARAMETERS, lightgbm.Dataset(attributes[seen], ratings[seen]), ROUNDS)
        predictions[~seen] = np.asarray(model.predict(attributes[~seen]))
    return predictions


def quality(puzzles: Sequence[AnalysedPuzzle]) -> Scores:
    """Return how well the attributes predict ratings."""
    ratings = np.array([puzzle.rating for puzzle in puzzles], dtype=np.float64)
    vectors = np.array([list(puzzle.attributes.vector().values()) for puzzle in puzzles], dtype=np.float64)
    return scores(ratings, predicted(vectors, ratings))


def costs(puzzles: Sequence[AnalysedPuzzle]) -> dict[str, list[float]]:
    """Return the mean and the 95th percentile of what a tree costs."""
    columns: dict[str, list[float]] = {
        "positions searched": [puzzle.attributes.tree.searches for puzzle in puzzles],
        "engine nodes": [puzzle.nodes for puzzle in puzzles],
        "seconds": [puzzle.seconds for puzzle in puzzles],
    }
    return {
        name: [float(np.mean(values)), float(np.quantile(values, 0.95))] for name, values in columns.items()
    }


def write(puzzles: Sequence[AnalysedPuzzle], path: Path) -> None:
    """Write a CSV with the id, the rating and the attributes of each puzzle."""
    with path.open("w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["PuzzleId", "Rating", *puzzles[0].attributes.vector()])
        rows.writerows(
            [puzzle.name, puzzle.rating, *puzzle.attributes.vector().values()] for puzzle in puzzles
        )


def read(path: Path) -> tuple[list[str], Array, Array]:
    """Return the names of the attributes in a file, and the attributes and ratings of its puzzles."""
    with path.open(newline="", encoding="utf-8") as rows:
        header, *values = csv.reader(rows)
    numbers = np.array([row[1:] for row in values], np.float64)
    return header[2:], numbers[:, 1:], numbers[:, 0]


def classify(file: Path, definition: str) -> None:
    """Print how well classifiers tell the classes of the puzzles in a file apart."""
    columns, attributes, ratings = read(file)
    classes = classes_of(ratings, definition)
    in_class = classes != ""
    classes, attributes, ratings = classes[in_class], attributes[in_class], ratings[in_class]
    for name in CLASSES:
        of_class = ratings[classes == name]
        print(f"{name}: {len(of_class)} puzzles, rated {of_class.min():.0f} to {of_class.max():.0f}")
    second = np.array([column.partition("(")[0] in SECOND_GROUP for column in columns])
    groups = {"1–10": ~second, "11–17": second, "all": np.full(len(columns), True)}
    results = {group: evaluate(attributes[:, used], classes) for group, used in groups.items()}
    rows = [
        [name, *(f"{value:.3f}" for of_group in results.values() for value in of_group[name])]
        for name in results["all"]
    ]
    header = ["", *(f"{measure}, {group}" for group in groups for measure in ("accuracy", "AUC"))]
    print("", table(header, rows, right="l" + "r" * (len(header) - 1)), sep="\n")


def evaluate(attributes: Array, classes: npt.NDArray[np.str_]) -> dict[str, tuple[float, float]]:
    """Return accuracy and AUC of each classifier, by predictions of models that have not seen the puzzle."""
    from sklearn.metrics import accuracy_score, roc_auc_score
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=1)
    results = {}
    for name, classifier in classifiers().items():
        probabilities = cross_val_predict(classifier(), attributes, classes, cv=folds, method="predict_proba")
        guesses = np.unique(classes)[probabilities.argmax(axis=1)]
        auc = roc_auc_score(classes, probabilities, multi_class="ovr", average="weighted")
        results[name] = (float(accuracy_score(classes, guesses)), float(auc))
    return results


def classifiers() -> dict[str, Callable[[], Any]]:
    """Return what makes each classifier."""
    # Imported only here: they belong to the extra `training`.
    from lightgbm import LGBMClassifier
    from sklearn.dummy import DummyClassifier
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return {
        "largest class": lambda: DummyClassifier(strategy="prior"),
        "naive Bayes": lambda: GaussianNB(),
        "logistic regression": lambda: make_pipeline(
            StandardScaler(), LogisticRegression(C=0.1, max_iter=2000)
        ),
        "neural network": lambda: make_pipeline(
            StandardScaler(), MLPClassifier((16,), alpha=1.0, max_iter=2000, random_state=1)
        ),
        "random forest": lambda: RandomForestClassifier(300, min_samples_leaf=3, random_state=1),
        "boosted trees": lambda: LGBMClassifier(
            n_estimators=100,
            learning_rate=0.05,
            num_leaves=8,
            min_child_samples=15,
            random_state=1,
            verbose=-1,
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    attributes = commands.add_parser("attributes")
    attributes.add_argument("puzzles", type=Path)
    attributes.add_argument("--sample", choices=("file", "natural", "classes"), default="natural")
    attributes.add_argument("--minutes", type=float, default=25.0)
    attributes.add_argument("--seed", type=int, default=1)
    attributes.add_argument("--out", type=Path)
    classes = commands.add_parser("classify")
    classes.add_argument("attributes", type=Path)
    classes.add_argument("--classes", choices=("thesis", "thirds"), default="thesis")
    options = parser.parse_args()
    if options.command == "attributes":
        rows = sample(options.puzzles, options.sample, options.seed)
        measure_trees(rows, options.minutes, options.out)
    else:
        classify(options.attributes, options.classes)


if __name__ == "__main__":
    main()
