"""Fit the model of likely labels (`motifsearch.terms.likely`) to motifs that people named and to themes.

    python -m training.likely LABELLED.csv TRAIN.csv --out motifsearch/terms/likely.json

LABELLED has the columns Motif, FEN and SolutionUCI; TRAIN holds puzzles with themes, in the Lichess schema,
of the training part alone (`training.parts`). Takes two minutes.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import chess
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from chess_motif.material import Capture, capture_in
from chess_motif.tables import table
from motifsearch.terms.encoding import encode
from motifsearch.terms.likely import LabelModel, features
from puzzlegen.motifs.tags import motif_tags
from puzzlegen.reasons.tactics import Tactics
from training.about import origin_of, write_about
from training.parts import puzzle_position, read_puzzles

# A position, its solution, and the capture before it.
_Solution = tuple[str, str, Capture | None]

# Labels and terms of fewer puzzles are left out.
FEWEST_WITH_LABEL = 50
FEWEST_WITH_TERM = 4

# The inverse strength of the penalty. In cross-validation on the labelled tactics, ranked by likely motifs
# alone, .1, .2 and .4 gave a precision of .375, .404 and .392. The value for themes was not tuned.
C = {"likely_motif": 0.2, "likely_theme": 0.1}

# Decimals of the weights in the file.
DIGITS = 3


class LabelledTerms(NamedTuple):
    """The terms of a puzzle that the model reads, and the puzzle's labels."""

    features: set[str]
    labels: frozenset[str]


def fit(puzzles: Sequence[LabelledTerms], c: float) -> LabelModel:
    """Return the model of these puzzles' labels."""
    vectorizer = DictVectorizer()
    known = vectorizer.fit_transform([dict.fromkeys(puzzle.features, 1.0) for puzzle in puzzles])
    frequent = known.getnnz(axis=0) >= FEWEST_WITH_TERM
    names = vectorizer.get_feature_names_out()[frequent]
    counts = Counter(label for puzzle in puzzles for label in puzzle.labels)
    bias: dict[str, float] = {}
    weights: dict[str, dict[str, float]] = {}
    for label in sorted(label for label, count in counts.items() if count >= FEWEST_WITH_LABEL):
        regression = LogisticRegression(C=c, l1_ratio=1, solver="liblinear", random_state=0)
        regression.fit(known[:, frequent], [label in puzzle.labels for puzzle in puzzles])
        bias[label] = round(float(regression.intercept_[0]), DIGITS)
        for name, weight in zip(names, regression.coef_[0], strict=True):
            if round(weight, DIGITS):
                weights.setdefault(name, {})[label] = round(float(weight), DIGITS)
    return LabelModel(bias, dict(sorted(weights.items())))


def read_tactics(file: Path) -> list[tuple[str, str, str]]:
    """Return the named motif, the position and the solution (UCI) of each tactic."""
    with file.open(newline="", encoding="utf-8") as rows:
        return [(row["Motif"], row["FEN"], row["SolutionUCI"]) for row in csv.DictReader(rows)]


def read_labelled_tactics(file: Path) -> list[LabelledTerms]:
    """Return the tactics of a file with their motifs as labels."""
    tactics = read_tactics(file)
    names = [frozenset([as_label(motif)]) for motif, _, _ in tactics]
    return _labelled([(fen, moves, None) for _, fen, moves in tactics], names)


def as_label(motif: str) -> str:
    """Return the label of a motif, without blanks, since it is part of a term."""
    return motif.lower().replace(" ", "-")


def read_themes(file: Path) -> list[LabelledTerms]:
    """Return the puzzles with those themes that name a motif."""
    puzzles = [puzzle for puzzle in read_puzzles(file) if puzzle["Themes"]]
    solutions = []
    for puzzle in puzzles:
        before, moves = puzzle["Moves"].split(" ", 1)
        solutions.append((puzzle_position(puzzle).fen(), moves, capture_in(puzzle["FEN"], before)))
    return _labelled(solutions, [frozenset(motif_tags(puzzle["Themes"].split())) for puzzle in puzzles])


def _labelled(solutions: Sequence[_Solution], labels: Sequence[frozenset[str]]) -> list[LabelledTerms]:
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(_features, solutions, chunksize=200))
    return [LabelledTerms(*pair) for pair in zip(found, labels, strict=True)]


def _features(solution: _Solution) -> set[str]:
    fen, moves, before = solution
    line = [chess.Move.from_uci(move) for move in moves.split()]
    return features(encode(Tactics(chess.Board(fen), line, before)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("labelled", type=Path)
    parser.add_argument("train", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()

    sources = {
        "likely_motif": read_labelled_tactics(arguments.labelled),
        "likely_theme": read_themes(arguments.train),
    }
    models = {field: fit(puzzles, C[field]) for field, puzzles in sources.items()}
    written = {field: asdict(model) for field, model in models.items()}
    arguments.out.write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    sizes = {
        field: {
            "puzzles": len(sources[field]),
            "labels": len(model.bias),
            "weights": sum(map(len, model.weights.values())),
        }
        for field, model in models.items()
    }
    used = {
        arguments.labelled: "all: `training.labelled` learns from four fifths and measures on the fifth",
        arguments.train: "the puzzles with themes",
    }
    write_about(
        [arguments.out],
        origin_of(used),
        what="which motifs a person would name, and which themes Lichess would: logistic regressions",
        held_out="the test part of the puzzles with themes (training.parts.divide); no labelled tactic",
        figures=sizes,
    )
    rows = [[field, *size.values()] for field, size in sizes.items()]
    print(table(["field", "puzzles", "labels", "weights"], rows, right="lrrr"))


if __name__ == "__main__":
    main()
