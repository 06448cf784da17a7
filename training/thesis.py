"""The experiment of a thesis on difficulty: can attributes of search trees tell easy from hard puzzles?

    python -m training.thesis attributes PUZZLES.csv[.zst] ATTRIBUTES.csv [--minutes 60] [--depth 6]
    python -m training.thesis classify ATTRIBUTES.csv
    python -m training.thesis compare PUZZLES.csv[.zst]

After Stoiljkovikj, *Computer-based estimation of the difficulty of chess tactical problems* (Ljubljana 2015),
section 2.6.

`attributes` draws rated puzzles from a Lichess CSV, with the sizes and rating distributions of the thesis'
classes, and analyses the puzzles one after the other with one engine, until all are finished or the time is
up. It immediately writes a row for each puzzle: id, rating and class, the cost of the tree, and the
attributes. It prints the positions searched, engine nodes and seconds of a puzzle, and the shares of trees
that were cut and of trees without a move.

`classify` lets five classifiers predict the classes by the attributes 1 to 10 of Table 2.1 (of the tree), by
11 to 17 (of chess), and by all, in a ten-fold stratified cross-validation. It prints accuracy and AUC (each
class against the others, the mean weighted by size) with 95 % intervals, and how much higher the AUC of
attributes 1 to 10 is than that of 11 to 17: for all puzzles, for easy and hard puzzles, and for puzzles with
a tree that is not empty. Finally, it prints the correlation of each attribute with the ratings.

`compare` lets boosted trees predict the classes without search trees, on puzzles that our rating model has
not seen: by the length of the solution, by the model's features of the puzzle alone, and by its estimates.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from chess_motif.held_out import puzzle_is_for_test
from chess_motif.intervals import Interval, share_interval
from chess_motif.tables import table
from engines.engine import Engine
from engines.finding import find_engine
from engines.human.model import load_human_model
from puzzlegen.difficulty.attributes import TreeAttributes
from puzzlegen.difficulty.rating import features, load_rating_model
from puzzlegen.difficulty.tree import TreeRules, meaningful_tree
from training.difficulty import problem_of, scores
from training.parts import LichessRow, puzzle_position, read_puzzles

Array = npt.NDArray[np.float64]
Names = npt.NDArray[np.str_]

FOLDS = 10

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

# The number of bootstrap samples of the puzzles for the interval of an AUC.
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

# The columns of a file of attributes that are not attributes.
COLUMNS = ("PuzzleId", "Rating", "Class", "Positions", "Nodes", "Seconds", "Complete")


def class_sample(ratings: Array, seed: int = 1, size: int = CLASS_SIZE) -> list[tuple[int, str]]:
    """Return the numbers of `size` puzzles of each class with their class, the classes in turn.

    Ratings are drawn from the normal distribution, and shifted and scaled to the mean and the standard
    deviation of the class. For each rating, the unused puzzle with the nearest rating is taken.
    """
    random = np.random.default_rng(seed)
    # Random, so that no puzzle is preferred to others with the same rating.
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


def analyse(puzzles: Path, out: Path, minutes: float, rules: TreeRules) -> None:
    """Write the attributes of a sample of puzzles until the time is up, and print the cost of the trees."""
    rated = [row for row in read_puzzles(puzzles) if row["Rating"]]
    chosen = class_sample(np.array([float(row["Rating"]) for row in rated]))
    rows = analysed([(rated[number], name) for number, name in chosen], minutes, rules)
    with out.open("w", newline="", encoding="utf-8", buffering=1) as file:
        writer = csv.writer(file, lineterminator="\n")
        for number, (columns, attributes) in enumerate(rows):
            if number == 0:
                writer.writerow([*COLUMNS, *attributes.vector()])
            writer.writerow([*columns, *attributes.vector().values()])
    print(costs(AnalysedPuzzles.load(out)))


def analysed(
    puzzles: Iterable[tuple[LichessRow, str]], minutes: float, rules: TreeRules
) -> Iterator[tuple[list[object], TreeAttributes]]:
    """Yield the values of `COLUMNS` and the attributes of each puzzle, until the time is up."""
    end = time.monotonic() + 60 * minutes
    with Engine(find_engine()) as engine:
        for row, name in puzzles:
            if time.monotonic() > end:
                return
            nodes, started = engine.nodes, time.perf_counter()
            tree = meaningful_tree(puzzle_position(row), engine, rules)
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
    """Return the cost of the trees, and how many trees were cut or have no move."""
    cost = {name: puzzles.costs[name] for name in ("Positions", "Nodes", "Seconds")}
    cells = [[name, f"{x.mean():,.1f}", f"{np.quantile(x, 0.95):,.1f}"] for name, x in cost.items()]
    cut, empty = 1 - puzzles.costs["Complete"].mean(), (puzzles.column("TreeSize") == 0).mean()
    text = table(["a puzzle", "mean", "95 %"], cells, right="lrr")
    return f"{text}\n\n{len(puzzles.ratings)} puzzles, {cut:.1%} of the trees cut, {empty:.1%} without a move"


def classify(puzzles: AnalysedPuzzles) -> None:
    """Print how well classifiers predict the classes, and how attributes correlate with the ratings."""
    for name in CLASSES:
        spread = Spread.of(of_class := puzzles.ratings[puzzles.classes == name])
        print(f"{name}: {len(of_class)} puzzles, rated {spread.mean:.1f} ± {spread.deviation:.1f}")
    of_chess = np.array([_is_of_chess(name) for name in puzzles.names])
    groups = {"1–10": ~of_chess, "11–17": of_chess, "all": np.full(len(of_chess), True)}
    samples = {
        "all": np.full(len(puzzles.classes), True),
        "easy and hard ones": puzzles.classes != "medium",
        "those whose tree has a move": puzzles.column("TreeSize") > 0,
    }
    for sample, among in samples.items():
        print("", judgement(sample, puzzles.attributes[among], puzzles.classes[among], groups), sep="\n")
    print("", alone(puzzles), sep="\n")


def judgement(
    sample: str, attributes: Array, classes: Names, groups: dict[str, npt.NDArray[np.bool_]]
) -> str:
    """Return the accuracy and the AUC of each classifier on a sample, by each group of attributes."""
    accuracies, aucs = [], []
    for name, classifier in classifiers().items():
        by = {group: Judged.by(classifier, attributes[:, used], classes) for group, used in groups.items()}
        accuracies.append([name, *(_text(of.accuracy()) for of in by.values())])
        above = by["1–10"].auc_above(by["11–17"])
        aucs.append([name, *(_text(of.auc()) for of in by.values()), _text(above, "+")])
    accuracy = table(["accuracy", *groups], accuracies)
    auc = table(["AUC", *groups, "1–10 above 11–17"], aucs)
    return f"{len(classes)} puzzles: {sample}\n\n{accuracy}\n\n{auc}"


def alone(puzzles: AnalysedPuzzles) -> str:
    """Return the correlation of each attribute with the ratings, the best attributes first."""
    each = [(name, scores(puzzles.ratings, puzzles.column(name))) for name in puzzles.names]
    each.sort(key=lambda one: -abs(one[1].spearman))
    rows = [[name, "11–17" if _is_of_chess(name) else "1–10", f"{of.spearman:+.3f}"] for name, of in each]
    return table(["attribute", "", "Spearman"], rows, right="llr")


def _is_of_chess(name: str) -> bool:
    return name.partition("(")[0] in OF_CHESS


@dataclass(frozen=True)
class Judged:
    """Puzzles of known classes, and how likely each is to be of each class (in alphabetical order)."""

    classes: Names
    chances: Array

    @classmethod
    def by(cls, classifier: Any, attributes: Array, classes: Names) -> Judged:
        """Return the predictions of classifiers that have not seen the puzzle."""
        # Imported only here and below: scikit-learn belongs to the extra `training`.
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.model_selection import StratifiedKFold, cross_val_predict

        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=1)
        with warnings.catch_warnings():
            # The neural network has as many iterations as in the thesis, whether it has converged or not.
            warnings.simplefilter("ignore", ConvergenceWarning)
            chances = cross_val_predict(classifier, attributes, classes, cv=folds, method="predict_proba")
        return cls(classes, chances)

    def accuracy(self) -> Interval:
        right = np.unique(self.classes)[self.chances.argmax(axis=1)] == self.classes
        return share_interval(float(right.mean()), len(right))

    def auc(self) -> Interval:
        return _interval(self._aucs())

    def auc_above(self, other: Judged) -> Interval:
        """Return by how much the AUC is above that of other predictions for the same puzzles."""
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
    """Return the first value, with the 95 % percentile interval of the other values."""
    low, high = np.quantile(values[1:], [0.025, 0.975])
    return Interval(float(values[0]), float(low), float(high))


def _text(interval: Interval, sign: str = "") -> str:
    return f"{interval.mean:{sign}.3f} ({interval.low:{sign}.3f} to {interval.high:{sign}.3f})"


def classifiers() -> dict[str, Any]:
    """Return five classifiers.

    The neural network (20 neurons, regularised, at most 300 iterations, normalised data) and logistic
    regression are from the thesis (chapter 3); the other classifiers of the thesis are not known.
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


def compare(puzzles: Path) -> None:
    """Print how well the classes are predicted without trees."""
    rated = [row for row in read_puzzles(puzzles) if row["Rating"] and puzzle_is_for_test(row)]
    chosen = class_sample(np.array([float(row["Rating"]) for row in rated]))
    classes = np.array([name for _, name in chosen])
    problems = [problem_of(rated[number]) for number, _ in chosen]
    seen = [features(problem) for problem in problems]
    model = load_rating_model(load_human_model())
    by = {
        "length of the solution": [[of["moves"]] for of in seen],
        "the puzzle alone": [list(of.values()) for of in seen],
        "the rating model": [[problem.difficulty] for problem in model.estimate(problems)],
    }
    rows = []
    for what, values in by.items():
        of = Judged.by(classifiers()["boosted trees"], np.array(values), classes)
        rows.append([what, _text(of.accuracy()), _text(of.auc())])
    print(table(["boosted trees", "accuracy", "AUC"], rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    attributes = commands.add_parser("attributes")
    attributes.add_argument("puzzles", type=Path)
    attributes.add_argument("out", type=Path)
    attributes.add_argument("--minutes", type=float, default=60.0)
    attributes.add_argument("--depth", type=int, default=TreeRules.depth, help="plies of a search")
    commands.add_parser("classify").add_argument("attributes", type=Path)
    commands.add_parser("compare").add_argument("puzzles", type=Path)
    options = parser.parse_args()
    if options.command == "attributes":
        analyse(options.puzzles, options.out, options.minutes, TreeRules(depth=options.depth))
    elif options.command == "classify":
        classify(AnalysedPuzzles.load(options.attributes))
    else:
        compare(options.puzzles)


if __name__ == "__main__":
    main()
