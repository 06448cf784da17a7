"""Compute the features of rated puzzles, for `training.difficulty`.

python -m training.puzzle_features PUZZLES.csv[.zst] OUT.npz [--human-model FILE]
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path

import chess
import numpy as np
from tqdm import tqdm

from chess_motif.material import capture_by
from engines.human.model import HumanModel, load_human_model
from puzzlegen.difficulty.rating import Problem, all_features
from puzzlegen.motifs.tags import solution_tags
from training.parts import LichessRow, puzzle_is_for_test, read_puzzles

# The players who are asked, by Elo. A third one adds nothing that can be measured.
RATINGS = (1100, 1900)


def problem_of(puzzle: LichessRow) -> Problem:
    before = chess.Board(puzzle["FEN"])
    blunder, *solution = (chess.Move.from_uci(move) for move in puzzle["Moves"].split())
    position = before.copy()
    position.push(blunder)
    tags = solution_tags(position, solution, capture_by(before, blunder))
    return Problem(position, tuple(solution), frozenset(tags))


def features_of(puzzle: LichessRow, human: Path | None, ratings: tuple[int, ...]) -> dict[str, float]:
    return all_features(problem_of(puzzle), _model(human), ratings)


@cache
def _model(file: Path | None) -> HumanModel:
    return load_human_model(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("puzzles", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--human-model", type=Path)
    parser.add_argument("--ratings", type=int, nargs="+", default=RATINGS)
    options = parser.parse_args()
    puzzles = [puzzle for puzzle in read_puzzles(options.puzzles) if puzzle["Rating"]]
    with ProcessPoolExecutor() as pool:
        work = partial(features_of, human=options.human_model, ratings=tuple(options.ratings))
        rows = list(tqdm(pool.map(work, puzzles, chunksize=64), total=len(puzzles)))
    np.savez(
        options.out,
        names=np.array(list(rows[0])),
        features=np.array([list(row.values()) for row in rows], np.float32),
        ratings=np.array([float(puzzle["Rating"]) for puzzle in puzzles]),
        test=np.array([puzzle_is_for_test(puzzle) for puzzle in puzzles]),
        human_model=np.array(_model(options.human_model).digest),
    )


if __name__ == "__main__":
    main()
