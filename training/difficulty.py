"""Fit the rating model to rated puzzles, and measure it on puzzles that it has never seen.

    python -m training.difficulty features PUZZLES.csv[.zst] FEATURES.npz [--human-model FILE]
    python -m training.difficulty fit FEATURES.npz puzzlegen/difficulty/models/NAME [--plot FILE]
    python -m training.difficulty first PUZZLES.csv[.zst] [--human-model FILE]

The folder gets the two models and `about.json`, with their origin and test results. Two test results are
printed: for the puzzles as they are, and weighted so that ratings and lengths are distributed as among all
puzzles of Lichess. `first` fits the line that corrects the estimate for a first move alone: it uses puzzles
of two moves of which nearly everyone plays the second, so that only the first is hard to find.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path

import chess
import lightgbm
import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from chess_motif.held_out import puzzle_is_for_test
from chess_motif.material import capture_by
from engines.human.model import HumanModel, load_human_model, model_file
from puzzlegen.difficulty.rating import Problem, all_features
from puzzlegen.motifs.tags import solution_tags
from puzzlegen.solutions import rating_model
from training.about import Origin, as_array, from_array, origin_of, write_about
from training.parts import LichessRow, read_puzzles
from training.trees import save_trees

Array = npt.NDArray[np.float64]

# The Elo ratings for which moves are predicted. A third rating makes no measurable difference.
RATINGS = (1100, 1900)

# Chosen by cross-validation on the training puzzles.
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

# Added to the natural weight of each training puzzle, so that rare kinds of puzzles count, too.
FLAT_WEIGHT = 1.0

# The distribution of puzzles on Lichess. Ratings have a mean of 1510 and a standard deviation of 554, like
# the normal distribution with these parameters, limited to 400 to 3200. Lengths are numbers of solver moves,
# from the Lichess puzzles with play counts in our data.
CENTRE, WIDTH = 1455.0, 618.0
LENGTHS = {1: 0.116, 2: 0.576, 3: 0.234, 4: 0.074}

# The least share of people who play the second move if only the first move is hard to find.
NEARLY_ALL = 0.9

RATING_BINS = np.arange(400, 3201, 100)
ROUNDS = 50


def make_features(file: Path, out: Path, human_model: Path | None, ratings: tuple[int, ...]) -> None:
    """Write the features and ratings of the rated puzzles of a file, and which puzzles are for the test."""
    puzzles = [puzzle for puzzle in read_puzzles(file) if puzzle["Rating"]]
    with ProcessPoolExecutor() as pool:
        work = partial(features_of, human=human_model, ratings=ratings)
        rows = list(tqdm(pool.map(work, puzzles, chunksize=64), total=len(puzzles)))
    used = {file: f"{len(puzzles):,} rated puzzles, those for the test to measure only"}
    used |= {model_file(human_model): "what people are likely to play"}
    np.savez(
        out,
        names=np.array(list(rows[0])),
        features=np.array([list(row.values()) for row in rows], np.float32),
        ratings=np.array([float(puzzle["Rating"]) for puzzle in puzzles]),
        test=np.array([puzzle_is_for_test(puzzle) for puzzle in puzzles]),
        human_model=np.array(_model(human_model).digest),
        origin=as_array(origin_of(used)),
    )


def problem_of(puzzle: LichessRow) -> Problem:
    before = chess.Board(puzzle["FEN"])
    blunder, *solution = (chess.Move.from_uci(move) for move in puzzle["Moves"].split())
    position = before.copy()
    position.push(blunder)
    tags = solution_tags(position, solution, capture_by(before, blunder))
    return Problem(position, tuple(solution), frozenset(tags))


def features_of(puzzle: LichessRow, human: Path | None, ratings: tuple[int, ...]) -> dict[str, float]:
    """Return the features of a puzzle by name."""
    return all_features(problem_of(puzzle), _model(human), ratings)


@cache
def _model(file: Path | None) -> HumanModel:
    return load_human_model(file)


@dataclass(frozen=True)
class Puzzles:
    """Puzzles with their features by name, their ratings, and whether they are for the test.

    `human_model` is the digest of the model that some features come from, and `origin` the origin of all.
    """

    names: list[str]
    features: Array
    ratings: Array
    test: npt.NDArray[np.bool_]
    human_model: str
    origin: Origin

    @classmethod
    def load(cls, file: Path) -> Puzzles:
        with np.load(file) as arrays:
            return cls(
                arrays["names"].tolist(),
                arrays["features"].astype(np.float64),
                arrays["ratings"],
                arrays["test"],
                str(arrays["human_model"]),
                from_array(arrays["origin"]),
            )

    @property
    def lengths(self) -> Array:
        return self.features[:, self.names.index("moves")]


def make_models(features: Path, folder: Path, plot_file: Path | None) -> None:
    """Write the models to a folder, and print their test results."""
    puzzles = Puzzles.load(features)
    seen, test = ~puzzles.test, puzzles.test
    weights = FLAT_WEIGHT + natural_weights(puzzles.ratings[seen], puzzles.lengths[seen])
    natural = natural_weights(puzzles.ratings[test], puzzles.lengths[test])
    results: dict[str, dict[str, Scores]] = {}
    cheap = [name for name in puzzles.names if "@" not in name]
    for kind, names in (("cheap features", cheap), ("all features", puzzles.names)):
        columns = [puzzles.names.index(name) for name in names]
        table = puzzles.features[:, columns]
        model = fit(table[seen], puzzles.ratings[seen], weights, names)
        estimates = np.asarray(model.predict(table[test]))
        results[kind] = {
            "pool": scores(puzzles.ratings[test], estimates),
            "natural": scores(puzzles.ratings[test], estimates, natural),
        }
        for spread, values in results[kind].items():
            print(f"{kind:16}{spread:10}{values}", flush=True)
    margin = fit_margin(table[seen], puzzles.ratings[seen], weights, names)
    within = np.abs(estimates - puzzles.ratings[test]) <= np.asarray(margin.predict(table[test]))
    covered = {"pool": float(within.mean()), "natural": float(np.average(within, weights=natural))}
    print(f"within the margin: {covered}")
    folder.mkdir(parents=True, exist_ok=True)
    save_trees(model, folder / "rating.npz")
    save_trees(margin, folder / "margin.npz")
    ratings = sorted({int(name.partition("@")[2]) for name in puzzles.names if "@" in name})
    if plot_file is not None:
        plot(puzzles.ratings[test], estimates, plot_file)
    write_about(
        [folder / "rating.npz", folder / "margin.npz"],
        origin_of({}, puzzles.origin),
        record=folder / "about.json",
        what=f"the ratings of puzzles on Lichess: boosted trees fitted to {seen.sum():,} rated puzzles",
        held_out=f"{test.sum():,} rated puzzles (chess_motif.held_out.puzzle_is_for_test)",
        figures={
            "scores": {kind: {spread: asdict(s) for spread, s in by.items()} for kind, by in results.items()},
            "within_margin": covered,
        },
        human_model=puzzles.human_model,
        ratings=ratings,
    )


def fit(features: Array, ratings: Array, weights: Array, names: list[str]) -> lightgbm.Booster:
    data = lightgbm.Dataset(features, ratings, weight=weights, feature_name=names)
    return lightgbm.train(RATING, data, TREES)


def fit_margin(features: Array, ratings: Array, weights: Array, names: list[str]) -> lightgbm.Booster:
    """Return a model of the error of the rating model, fitted to puzzles that the latter has not seen."""
    folds = np.random.default_rng(1).integers(FOLDS, size=len(ratings))
    errors = np.empty(len(ratings))
    for fold in range(FOLDS):
        seen = folds != fold
        model = fit(features[seen], ratings[seen], weights[seen], names)
        errors[~seen] = np.abs(model.predict(features[~seen]) - ratings[~seen])
    data = lightgbm.Dataset(features, errors, weight=weights, feature_name=names)
    return lightgbm.train(MARGIN, data, MARGIN_TREES)


@dataclass(frozen=True)
class Scores:
    """Rank correlation, mean absolute and root mean squared error, AUC of the easiest and hardest thirds."""

    spearman: float
    mae: float
    rmse: float
    auc: float

    def __str__(self) -> str:
        return f"Spearman {self.spearman:.3f}  MAE {self.mae:.0f}  RMSE {self.rmse:.0f}  AUC {self.auc:.3f}"


def scores(ratings: Array, estimates: Array, weights: Array | None = None) -> Scores:
    weights = np.ones(len(ratings)) if weights is None else weights
    errors = estimates - ratings
    ranks = _ranks(ratings, weights)
    easy, hard = ranks <= 1 / 3, ranks > 2 / 3
    return Scores(
        _correlation(ranks, _ranks(estimates, weights), weights),
        float(np.average(np.abs(errors), weights=weights)),
        float(np.sqrt(np.average(errors**2, weights=weights))),
        _auc(estimates[easy], weights[easy], estimates[hard], weights[hard]),
    )


def natural_weights(ratings: Array, lengths: Array) -> Array:
    """Return weights (1 on average) that give puzzles the natural distribution of ratings and lengths."""
    bins = np.clip(np.digitize(ratings, RATING_BINS) - 1, 0, len(RATING_BINS) - 2)
    middles = RATING_BINS[:-1] + 50
    shares = np.exp(-0.5 * ((middles - CENTRE) / WIDTH) ** 2)
    lengths = np.minimum(lengths, max(LENGTHS))
    weights = np.ones(len(ratings))
    # Raking: fit each distribution in turn, until both fit.
    for _ in range(ROUNDS):
        for length, share in LENGTHS.items():
            weights[lengths == length] *= share / weights[lengths == length].sum()
        for number, share in enumerate(shares / shares.sum()):
            among = bins == number
            if among.any():
                weights[among] *= share / weights[among].sum()
    return np.asarray(weights / weights.mean())


def _ranks(values: Array, weights: Array) -> Array:
    """Return for each value the share of the weight below it, with ties in the middle."""
    distinct, places = np.unique(values, return_inverse=True)
    each = np.bincount(places, weights, len(distinct))
    return np.asarray(((np.cumsum(each) - each / 2) / weights.sum())[places])


def _correlation(one: Array, other: Array, weights: Array) -> float:
    one, other = one - np.average(one, weights=weights), other - np.average(other, weights=weights)
    covariance = np.average(one * other, weights=weights)
    spread = np.average(one**2, weights=weights) * np.average(other**2, weights=weights)
    return float(covariance / np.sqrt(spread))


def _auc(low: Array, low_weights: Array, high: Array, high_weights: Array) -> float:
    """Return the probability that a value of `high` is above a value of `low`."""
    weights = np.concatenate([low_weights, np.zeros(len(high))])
    distinct, places = np.unique(np.concatenate([low, high]), return_inverse=True)
    each = np.bincount(places, weights, len(distinct))
    below = (np.cumsum(each) - each / 2)[places][len(low) :]
    return float(np.average(below, weights=high_weights) / low_weights.sum())


def fit_first_moves(file: Path, human_model: Path | None) -> None:
    """Print slope and offset of the line, and the test results without and with it."""
    of_two_moves = (puzzle for puzzle in read_puzzles(file) if puzzle["Moves"].count(" ") == 3)
    puzzles = [puzzle for puzzle in of_two_moves if puzzle["Rating"]]
    with ProcessPoolExecutor() as pool:
        work = partial(estimate_of_first_move, human=human_model)
        found = list(tqdm(pool.map(work, puzzles, chunksize=64), total=len(puzzles)))
    rows = [
        (puzzle_is_for_test(puzzle), float(puzzle["Rating"]), *estimates)
        for puzzle, estimates in zip(puzzles, found, strict=True)
        if estimates is not None
    ]
    test, ratings, whole, estimates = np.array(rows).T
    seen, test = test == 0, test == 1
    slope, offset = np.polyfit(estimates[seen], ratings[seen], 1)
    print(f"slope {slope:.3f}, offset {offset:.0f}: {seen.sum():,} puzzles; {test.sum():,} for the test")
    shown = {"whole line": whole, "first move": estimates, "stretched": slope * estimates + offset}
    for name, values in shown.items():
        print(f"{name:16}{scores(ratings[test], values[test])}")


def estimate_of_first_move(puzzle: LichessRow, human: Path | None) -> tuple[float, float] | None:
    """Return the estimates for a puzzle and for its first move alone, or None if other moves are hard."""
    problem, model = problem_of(puzzle), rating_model(model_file(human))
    features = all_features(problem, model.human, model.ratings)
    later = np.exp([features[f"log_P_after_the_first@{rating}"] for rating in model.ratings]).mean()
    if features["mate"] or later < NEARLY_ALL:
        return None
    first = problem.moves[:1]
    before = problem.position.copy()
    tags = solution_tags(problem.position, first, capture_by(before, before.pop()))
    alone = replace(problem, moves=first, tags=frozenset(tags))
    whole, first_alone = model.estimate([problem, alone])
    return whole.difficulty, first_alone.difficulty


def plot(ratings: Array, estimates: Array, file: Path) -> None:
    """Draw the estimates of the test puzzles against their ratings, with medians."""
    # Imported only here: matplotlib belongs to the extra `bench`.
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
    commands = parser.add_subparsers(dest="command", required=True)
    features = commands.add_parser("features")
    features.add_argument("puzzles", type=Path)
    features.add_argument("out", type=Path)
    features.add_argument("--human-model", type=Path)
    features.add_argument("--ratings", type=int, nargs="+", default=RATINGS)
    models = commands.add_parser("fit")
    models.add_argument("features", type=Path)
    models.add_argument("folder", type=Path)
    models.add_argument("--plot", type=Path, help="draw estimates against ratings, for the documentation")
    first = commands.add_parser("first")
    first.add_argument("puzzles", type=Path)
    first.add_argument("--human-model", type=Path)
    options = parser.parse_args()
    if options.command == "features":
        make_features(options.puzzles, options.out, options.human_model, tuple(options.ratings))
    elif options.command == "first":
        fit_first_moves(options.puzzles, options.human_model)
    else:
        make_models(options.features, options.folder, options.plot)


if __name__ == "__main__":
    main()
