"""What the meaningful search tree of a puzzle costs, and how well its attributes predict ratings.

    python -m training.search_trees PUZZLES.csv.zst [--sample natural] [--minutes 25] [--out FILE.csv]

PUZZLES is a Lichess puzzle CSV. A random sample of the puzzles with a rating is analysed by one engine, one
after the other, until the time is up: of the natural spread of ratings and lengths (see `training.scores`),
of the spread in the file, or as many of each class of the thesis (see `training.classes`).

Prints a table and JSON: positions searched, engine nodes and seconds of a puzzle, the share of trees that
were cut and of those without a move; then how well a model of all attributes predicts ratings in a tenfold
cross-validation, see `training.scores`. `--out` writes the attributes of each puzzle with its id and rating.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import chess
import lightgbm
import numpy as np
from numpy.typing import NDArray

from chess_motif.tables import table
from engines.engine import Engine, find_engine
from puzzlegen.difficulty.attributes import TreeAttributes, tree_attributes
from training.classes import CLASSES, class_of
from training.parts import LichessRow, read_puzzles
from training.scores import Scores, natural_weights, scores

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
            board = chess.Board(row["FEN"])
            board.push_uci(row["Moves"].split()[0])
            nodes, started = engine.nodes, time.perf_counter()
            attributes = tree_attributes(board, engine)
            seconds = time.perf_counter() - started
            yield AnalysedPuzzle(
                row["PuzzleId"], int(row["Rating"]), attributes, engine.nodes - nodes, seconds
            )


def predicted(attributes: NDArray[np.float64], ratings: NDArray[np.float64]) -> NDArray[np.float64]:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzles", type=Path)
    parser.add_argument("--sample", choices=("file", "natural", "classes"), default="natural")
    parser.add_argument("--minutes", type=float, default=25.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()

    puzzles = list(analysed(sample(arguments.puzzles, arguments.sample, arguments.seed), arguments.minutes))
    if arguments.out:
        write(puzzles, arguments.out)
    trees = [puzzle.attributes.tree for puzzle in puzzles]
    shares = {
        "cut": float(np.mean([not tree.complete for tree in trees])),
        "without a move": float(np.mean([not tree.root.moves for tree in trees])),
    }
    cost, agreement = costs(puzzles), quality(puzzles)
    rows = [[name, f"{mean:,.1f}", f"{most:,.1f}"] for name, (mean, most) in cost.items()]
    print(table(["a puzzle", "mean", "95 %"], rows, right="lrr"), end="\n\n")
    rows = [["puzzles", f"{len(puzzles)}"], *([name, f"{share:.1%}"] for name, share in shares.items())]
    print(table(["", ""], rows, right="lr"), end="\n\n")
    print(agreement)
    print(json.dumps({"puzzles": len(puzzles), "cost": cost, "trees": shares, "ratings": asdict(agreement)}))


if __name__ == "__main__":
    main()
