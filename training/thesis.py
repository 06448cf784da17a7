"""The experiment of the thesis on difficulty: can attributes of search trees tell easy from hard puzzles?

    python -m training.thesis attributes PUZZLES.csv[.zst] ATTRIBUTES.csv [--sample natural] [--minutes 60]
    python -m training.thesis classify ATTRIBUTES.csv
    python -m training.thesis ratings ATTRIBUTES.csv

After Stoiljkovikj, *Computer-based estimation of the difficulty of chess tactical problems* (Ljubljana 2015),
section 2.6.

`attributes` analyses rated puzzles of a Lichess CSV by one engine, one after the other, until all are done or
the time is up: as many of each class as in the thesis, spread as there, or of the natural spread of ratings
and lengths (see `training.difficulty`). It writes a row for each puzzle at once: id, rating and class, what
the tree cost, and the attributes. It prints the positions searched, engine nodes and seconds of a puzzle, and
the share of trees that were cut and of those without a move.

`classify` has five classifiers tell the classes apart by the attributes 1 to 10 of Table 2.1 (of the tree),
by 11 to 17 (of chess), and by all, in a ten-fold stratified cross-validation. It prints accuracy and AUC
(each class against the others, the mean weighted by size) with 95 % intervals, how much better the attributes
1 to 10 are than 11 to 17, and how far each attribute alone goes with the ratings.

`ratings` prints how well a model of all attributes predicts the ratings in a ten-fold cross-validation.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import lightgbm
import numpy as np
import numpy.typing as npt

from chess_motif.intervals import Interval, share_interval
from chess_motif.tables import table
from engines.engine import Engine, find_engine
from puzzlegen.difficulty.attributes import TreeAttributes
from puzzlegen.difficulty.tree import meaningful_tree
from training.difficulty import Scores, natural_weights, scores
from training.parts import LichessRow, puzzle_position, read_puzzles

Array = npt.NDArray[np.float64]
Names = npt.NDArray[np.str_]

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
OF_CHESS = {
    "Distance",
    "SumDistance",
    "AverageDistance",
    "Pieces",
    "AllPiecesInvolved",
    "PieceValueRatio",
    "WinningNoCheckmate",
}

# Samples of the puzzles, drawn with replacement (the bootstrap), for the interval of an AUC.
RESAMPLES = 1000


class Spread(NamedTuple):
    """The mean and the standard deviation of ratings."""

    mean: float
    deviation: float

    @classmethod
    def of(cls, ratings: Array) -> Spread:
        return cls(float(ratings.mean()), float(ratings.std()))


# The classes of the thesis, by their ratings on Chess Tempo, and the number of problems of each.
CLASSES = {
    "easy": Spread(1254.6, 96.4),
    "medium": Spread(1669.3, 79.6),
    "hard": Spread(2088.8, 74.3),
}
CLASS_SIZE = 300

# The columns of a file of attributes that are none.
COLUMNS = ("PuzzleId", "Rating", "Class", "Positions", "Nodes", "Seconds", "Complete")


def class_sample(ratings: Array, seed: int, size: int = CLASS_SIZE) -> list[tuple[int, str]]:
    """Return the numbers of `size` puzzles of each class with their class: one of each class in turn.

    Ratings are drawn from the normal distribution, and shifted and stretched so that their mean and their
    standard deviation are those of the class. Each then takes the puzzle with the nearest rating that no
    other has taken.
    """
    random = np.random.default_rng(seed)
    # Random, so that no puzzle is preferred to another with the same rating.
    left = random.permutation(len(ratings))
    drawn = {name: random.standard_normal(size) for name in CLASSES}
    wanted = {
        name: CLASSES[name].mean + CLASSES[name].deviation * (values - values.mean()) / values.std()
        for name, values in drawn.items()
    }
    sample = []
    for number in range(size):
        for name in CLASSES:
            place = int(np.abs(ratings[left] - wanted[name][number]).argmin())
            sample.append((int(left[place]), name))
            left = np.delete(left, place)
    return sample


def natural_sample(ratings: Array, lengths: Array, seed: int) -> list[tuple[int, str]]:
    """Return the numbers of all puzzles, without classes; the first ones have the natural spread."""
    # Each puzzle comes after a random time, the sooner the more it weighs.
    times = np.random.default_rng(seed).exponential(size=len(ratings)) / natural_weights(ratings, lengths)
    return [(int(number), "") for number in np.argsort(times)]


def analyse(puzzles: Path, out: Path, sample: str, minutes: float, seed: int) -> None:
    """Write the attributes of a sample of puzzles, until the time is up, and print what the trees cost."""
    rated = [row for row in read_puzzles(puzzles) if row["Rating"]]
    ratings = np.array([float(row["Rating"]) for row in rated])
    lengths = np.array([len(row["Moves"].split()) // 2 for row in rated])
    chosen = natural_sample(ratings, lengths, seed) if sample == "natural" else class_sample(ratings, seed)
    rows = analysed([(rated[number], name) for number, name in chosen], minutes)
    with out.open("w", newline="", encoding="utf-8", buffering=1) as file:
        writer = csv.writer(file, lineterminator="\n")
        for number, (columns, attributes) in enumerate(rows):
            if number == 0:
                writer.writerow([*COLUMNS, *attributes.vector()])
            writer.writerow([*columns, *attributes.vector().values()])
    print(costs(AnalysedPuzzles.load(out)))


def analysed(
    puzzles: Iterable[tuple[LichessRow, str]], minutes: float
) -> Iterator[tuple[list[object], TreeAttributes]]:
    """Yield the values of `COLUMNS` and the attributes of one puzzle after the other until the time is up."""
    end = time.monotonic() + 60 * minutes
    with Engine(find_engine()) as engine:
        for row, name in puzzles:
            if time.monotonic() > end:
                return
            nodes, started = engine.nodes, time.perf_counter()
            tree = meaningful_tree(puzzle_position(row), engine)
            seconds = round(time.perf_counter() - started, 2)
            cost = [tree.searches, engine.nodes - nodes, seconds, int(tree.complete)]
            yield [row["PuzzleId"], row["Rating"], name, *cost], TreeAttributes(tree)


@dataclass(frozen=True)
class AnalysedPuzzles:
    """The puzzles of a file: ratings, classes, costs by column, and the attributes with their names."""

    ratings: Array
    classes: Names
    costs: dict[str, Array]
    names: list[str]
    attributes: Array

    @classmethod
    def load(cls, file: Path) -> AnalysedPuzzles:
        with file.open(newline="", encoding="utf-8") as rows:
            header, *values = csv.reader(rows)
        columns = dict(zip(header, np.array(values).T, strict=True))
        names = header[len(COLUMNS) :]
        return cls(
            columns["Rating"].astype(np.float64),
            columns["Class"],
            {name: columns[name].astype(np.float64) for name in COLUMNS[3:]},
            names,
            np.array([columns[name].astype(np.float64) for name in names]).T,
        )

    def column(self, name: str) -> Array:
        return self.attributes[:, self.names.index(name)]


def costs(puzzles: AnalysedPuzzles) -> str:
    """Return what the trees cost, and how many were cut or have no move."""
    cost = {name: puzzles.costs[name] for name in ("Positions", "Nodes", "Seconds")}
    cells = [[name, f"{x.mean():,.1f}", f"{np.quantile(x, 0.95):,.1f}"] for name, x in cost.items()]
    cut, empty = 1 - puzzles.costs["Complete"].mean(), (puzzles.column("TreeSize") == 0).mean()
    text = table(["a puzzle", "mean", "95 %"], cells, right="lrr")
    return f"{text}\n\n{len(puzzles.ratings)} puzzles, {cut:.1%} of the trees cut, {empty:.1%} without a move"


def classify(puzzles: AnalysedPuzzles) -> None:
    """Print how well classifiers tell the classes apart, and how far attributes go with the ratings."""
    for name in CLASSES:
        spread = Spread.of(of_class := puzzles.ratings[puzzles.classes == name])
        print(f"{name}: {len(of_class)} puzzles, rated {spread.mean:.1f} ± {spread.deviation:.1f}")
    of_chess = np.array([name.partition("(")[0] in OF_CHESS for name in puzzles.names])
    groups = {"1–10": ~of_chess, "11–17": of_chess, "all": np.full(len(of_chess), True)}
    results = {
        name: {
            group: Judged.by(classifier, puzzles.attributes[:, used], puzzles.classes)
            for group, used in groups.items()
        }
        for name, classifier in classifiers().items()
    }
    for measure in (Judged.accuracy, Judged.auc):
        rows = [[name, *(_text(measure(of)) for of in by.values())] for name, by in results.items()]
        print("", table([measure.__name__, *groups], rows), sep="\n")
    better = [[name, _text(by["1–10"].auc_above(by["11–17"]), "+")] for name, by in results.items()]
    print("", table(["AUC", "1–10 above 11–17"], better), sep="\n")
    print("", alone(puzzles), sep="\n")


def alone(puzzles: AnalysedPuzzles) -> str:
    """Return how far each attribute goes with the ratings, the best ones first."""
    each = [(name, scores(puzzles.ratings, puzzles.column(name))) for name in puzzles.names]
    each.sort(key=lambda one: -abs(one[1].spearman))
    rows = [
        [name, "11–17" if name.partition("(")[0] in OF_CHESS else "1–10", f"{of.spearman:+.3f}"]
        for name, of in each
    ]
    return table(["attribute", "", "Spearman"], rows, right="llr")


@dataclass(frozen=True)
class Judged:
    """Puzzles of known classes, and how likely each is to be of each class (in alphabetical order)."""

    classes: Names
    chances: Array

    @classmethod
    def by(cls, classifier: Any, attributes: Array, classes: Names) -> Judged:
        """Return what classifiers say that have not seen the puzzle."""
        # Imported only here and below: it belongs to the extra `training`.
        from sklearn.model_selection import StratifiedKFold, cross_val_predict

        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=1)
        chances = cross_val_predict(classifier, attributes, classes, cv=folds, method="predict_proba")
        return cls(classes, chances)

    def accuracy(self) -> Interval:
        right = np.unique(self.classes)[self.chances.argmax(axis=1)] == self.classes
        return share_interval(float(right.mean()), len(right))

    def auc(self) -> Interval:
        return _interval(self._aucs())

    def auc_above(self, other: Judged) -> Interval:
        """Return by how much the AUC is above that of others on the same puzzles."""
        return _interval(self._aucs() - other._aucs())

    def _aucs(self) -> Array:
        """Return the AUC of all puzzles, and that of each resample."""
        count = len(self.classes)
        drawn = np.random.default_rng(1).multinomial(count, np.full(count, 1 / count), RESAMPLES)
        times = np.vstack([np.ones(count), drawn])
        total = np.zeros(len(times))
        for name, chances in zip(np.unique(self.classes), self.chances.T, strict=True):
            ranked = np.sort(chances)
            of_class = np.where(self.classes == name, times, 0)
            others = np.cumsum((times - of_class)[:, np.argsort(chances)], axis=1)
            others = np.pad(others, ((0, 0), (1, 0)))
            # A tie counts half.
            above = (
                others[:, ranked.searchsorted(chances)] + others[:, ranked.searchsorted(chances, "right")]
            ) / 2
            total += (of_class * above).sum(axis=1) / others[:, -1]
        return total / count


def _interval(values: Array) -> Interval:
    """Return the first value, with the 95 % percentile interval of the others."""
    low, high = np.quantile(values[1:], [0.025, 0.975])
    return Interval(float(values[0]), float(low), float(high))


def _text(interval: Interval, sign: str = "") -> str:
    return f"{interval.mean:{sign}.3f} ({interval.low:{sign}.3f} to {interval.high:{sign}.3f})"


def classifiers() -> dict[str, Any]:
    """Return five classifiers.

    The neural network (20 neurons, regularised, at most 300 iterations, normalised data) and logistic
    regression are two of those of the thesis; which the others are, we do not know.
    """
    from lightgbm import LGBMClassifier
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return {
        "neural network": make_pipeline(
            StandardScaler(), MLPClassifier((20,), alpha=1.0, max_iter=300, solver="lbfgs", random_state=1)
        ),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=2000)),
        "naive Bayes": GaussianNB(),
        "random forest": RandomForestClassifier(300, min_samples_leaf=3, random_state=1),
        "boosted trees": LGBMClassifier(
            n_estimators=100,
            learning_rate=0.05,
            num_leaves=8,
            min_child_samples=15,
            random_state=1,
            verbose=-1,
        ),
    }


def rating_scores(puzzles: AnalysedPuzzles) -> Scores:
    """Return how well the attributes predict the ratings, by models that have not seen the puzzle."""
    ratings, attributes = puzzles.ratings, puzzles.attributes
    fold = np.random.default_rng(1).permutation(len(ratings)) % FOLDS
    predictions = np.empty(len(ratings))
    for number in range(FOLDS):
        seen = fold != number
        model = lightgbm.train(PARAMETERS, lightgbm.Dataset(attributes[seen], ratings[seen]), ROUNDS)
        predictions[~seen] = np.asarray(model.predict(attributes[~seen]))
    return scores(ratings, predictions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    attributes = commands.add_parser("attributes")
    attributes.add_argument("puzzles", type=Path)
    attributes.add_argument("out", type=Path)
    attributes.add_argument("--sample", choices=("classes", "natural"), default="classes")
    attributes.add_argument("--minutes", type=float, default=60.0)
    attributes.add_argument("--seed", type=int, default=1)
    for name in ("classify", "ratings"):
        commands.add_parser(name).add_argument("attributes", type=Path)
    options = parser.parse_args()
    if options.command == "attributes":
        analyse(options.puzzles, options.out, options.sample, options.minutes, options.seed)
    elif options.command == "classify":
        classify(AnalysedPuzzles.load(options.attributes))
    else:
        print(rating_scores(AnalysedPuzzles.load(options.attributes)))


if __name__ == "__main__":
    main()
