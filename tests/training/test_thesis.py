"""The sample of the thesis, its groups of attributes, and how classifiers are judged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from puzzlegen.difficulty.attributes import BY_LEVEL, OF_TREE
from training.thesis import CLASSES, COLUMNS, OF_CHESS, AnalysedPuzzles, Judged, Spread, class_sample

RATINGS = np.random.default_rng(3).integers(400, 3000, 20_000).astype(float)


def test_the_classes_have_the_means_and_deviations_of_the_thesis() -> None:
    numbers, names = zip(*class_sample(RATINGS), strict=True)
    assert len(set(numbers)) == len(numbers) == 900
    for name, wanted in CLASSES.items():
        of_class = RATINGS[[number for number, of in zip(numbers, names, strict=True) if of == name]]
        assert len(of_class) == 300
        assert Spread.of(of_class) == pytest.approx(wanted, abs=0.2)


def test_the_ratings_of_a_class_are_not_cut_at_one_deviation() -> None:
    easy = np.array([RATINGS[number] for number, name in class_sample(RATINGS) if name == "easy"])
    beyond = np.abs(easy - CLASSES["easy"].mean) > CLASSES["easy"].deviation
    assert 0.25 < beyond.mean() < 0.40


def test_a_sample_that_is_cut_short_has_as_many_of_each_class() -> None:
    assert [name for _, name in class_sample(RATINGS)][:6] == 2 * list(CLASSES)


def test_puzzles_with_the_same_rating_have_the_same_chance() -> None:
    same = np.full(1000, 1669.0)
    first, second = ({number for number, _ in class_sample(same, seed, size=30)} for seed in (1, 2))
    assert len(first) == len(second) == 90
    assert len(first & second) < 45


def test_attributes_are_of_the_tree_or_of_chess() -> None:
    # The numbers of Table 2.1: ten, and seven.
    names = {*BY_LEVEL, *OF_TREE}
    assert names > OF_CHESS
    assert (len(names - OF_CHESS), len(OF_CHESS)) == (10, 7)


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "attributes.csv"
    header = ",".join([*COLUMNS, "TreeSize", "Pieces(1)"])
    file.write_text(f"{header}\nabcde,1200,easy,40,9000,2.5,1,13,2\nfghij,2100,hard,75,8000,3.5,0,0,1\n")
    puzzles = AnalysedPuzzles.load(file)
    assert puzzles.ratings.tolist() == [1200, 2100]
    assert puzzles.classes.tolist() == ["easy", "hard"]
    assert puzzles.costs["Complete"].tolist() == [1, 0]
    assert puzzles.names == ["TreeSize", "Pieces(1)"]
    assert puzzles.column("Pieces(1)").tolist() == [2, 1]


def judged(*, right: int) -> Judged:
    """Return 60 puzzles, of which the first `right` are surely of their class, the others of the next."""
    classes = np.array(["easy", "hard", "medium"] * 20)
    said = np.array([number % 3 if number < right else (number + 1) % 3 for number in range(60)])
    return Judged(classes, np.eye(3)[said])


def test_accuracy_and_auc() -> None:
    assert judged(right=60).accuracy().mean == judged(right=60).auc().mean == 1
    assert judged(right=0).accuracy().mean == 0
    half = judged(right=30)
    assert half.accuracy().mean == 0.5
    # Half of each class is classified correctly: .5 of its own, .25 of the others.
    assert half.auc().mean == pytest.approx((1 + 0.5 - 0.25) / 2)
    assert half.auc().low < half.auc().mean < half.auc().high


def test_the_auc_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    random = np.random.default_rng(5)
    classes = random.choice(["easy", "hard", "medium"], 200, p=[0.5, 0.2, 0.3])
    # Rounded, so that there are ties.
    chances = np.round(random.dirichlet(np.ones(3), 200), 1)
    chances /= chances.sum(axis=1, keepdims=True)
    expected = metrics.roc_auc_score(classes, chances, multi_class="ovr", average="weighted")
    assert Judged(classes, chances).auc().mean == pytest.approx(expected)


def test_the_difference_is_measured_on_the_same_puzzles() -> None:
    assert judged(right=30).auc_above(judged(right=30)) == (0, 0, 0)
    assert judged(right=50).auc_above(judged(right=20)).low > 0
