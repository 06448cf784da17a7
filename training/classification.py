"""Tell easy, medium and hard puzzles apart by the attributes of their search trees, as in the thesis.

    python -m training.classification ATTRIBUTES.csv

ATTRIBUTES comes from `training.search_trees --out`. The experiment is that of Stoiljkovikj,
*Computer-based estimation of the difficulty of chess tactical problems* (Ljubljana 2015): several
classifiers, ten-fold cross-validation, the attributes 1 to 10 of Table 2.1, 11 to 17, and all.

There are two definitions of the classes (`--classes`). Those of the thesis are narrow, with gaps in between;
thirds of the puzzles in the file have none, but the outer two are wide. Figures for one cannot be compared
with figures for the other. Prints accuracy and AUC (each class against the others, the mean weighted by
size).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from lightgbm import LGBMClassifier
from sklearn.base import ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from chess_motif.tables import table
from training.classes import CLASSES, classes_of
from training.parts import read_trees

Array = npt.NDArray[np.float64]

FOLDS = 10

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

CLASSIFIERS: dict[str, Callable[[], ClassifierMixin]] = {
    "largest class": lambda: DummyClassifier(strategy="prior"),
    "naive Bayes": lambda: GaussianNB(),
    "logistic regression": lambda: make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=2000)),
    "neural network": lambda: make_pipeline(
        StandardScaler(), MLPClassifier((16,), alpha=1.0, max_iter=2000, random_state=1)
    ),
    "random forest": lambda: RandomForestClassifier(300, min_samples_leaf=3, random_state=1),
    "boosted trees": lambda: LGBMClassifier(
        n_estimators=100, learning_rate=0.05, num_leaves=8, min_child_samples=15, random_state=1, verbose=-1
    ),
}


def evaluate(attributes: Array, classes: npt.NDArray[np.str_]) -> dict[str, tuple[float, float]]:
    """Return accuracy and AUC of each classifier, by predictions of models that have not seen the puzzle."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=1)
    results = {}
    for name, classifier in CLASSIFIERS.items():
        chances = cross_val_predict(classifier(), attributes, classes, cv=folds, method="predict_proba")
        guesses = np.unique(classes)[chances.argmax(axis=1)]
        auc = roc_auc_score(classes, chances, multi_class="ovr", average="weighted")
        results[name] = (float(accuracy_score(classes, guesses)), float(auc))
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("attributes", type=Path)
    parser.add_argument("--classes", choices=("thesis", "thirds"), default="thesis")
    options = parser.parse_args()
    _, columns, attributes, ratings = read_trees(options.attributes)
    classes = classes_of(ratings, options.classes)
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
        for name in CLASSIFIERS
    ]
    header = ["", *(f"{measure}, {group}" for group in groups for measure in ("accuracy", "AUC"))]
    print("", table(header, rows, right="l" + "r" * (len(header) - 1)), sep="\n")


if __name__ == "__main__":
    main()
