"""How hard a puzzle is for people: the rating that it would get on Lichess.

Two sets of boosted trees (Ke et al., "LightGBM", NIPS 2017) read the features of a puzzle: one estimates the
rating, the other how far off the first is. They were trained with the predictions of one human-move model,
and go with that one only. `training/difficulty.py` makes them; `about.json` says how good they are.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from chess_motif.errors import HumanModelError, LibraryMissingError
from engines.human.model import HumanModel
from puzzlegen.difficulty.features import features
from puzzlegen.difficulty.human_features import human_features
from puzzlegen.difficulty.problem import Problem

if TYPE_CHECKING:
    from lightgbm import Booster

# Each folder has a rating model: `rating.txt`, `margin.txt` and `about.json`.
MODELS = Path(__file__).parent / "models"


class Estimate(NamedTuple):
    """How hard a puzzle is.

    `difficulty` is on the scale of Lichess' puzzle ratings; the rating is within `difficulty_margin` of it
    for four puzzles of five. `first_move_chance` (0…1) is the share of people who would play the first move.
    """

    difficulty: float
    difficulty_margin: float
    first_move_chance: float


@dataclass(frozen=True)
class RatingModel:
    """Estimates difficulties. `ratings` are the players whose moves the human model predicts, by Elo."""

    human: HumanModel
    ratings: tuple[int, ...]
    rating: Booster
    margin: Booster

    def estimate(self, problems: Sequence[Problem]) -> list[Estimate]:
        """Return an estimate for each problem."""
        if not problems:
            return []
        rows = [all_features(problem, self.human, self.ratings) for problem in problems]
        table = np.array([[row[name] for name in self._names] for row in rows])
        columns = (
            np.asarray(self.rating.predict(table, num_threads=1)),
            np.asarray(self.margin.predict(table, num_threads=1)),
            np.exp([[row[f"log_P(1)@{rating}"] for rating in self.ratings] for row in rows]).mean(axis=1),
        )
        return [
            Estimate(round(float(difficulty), 1), round(float(margin), 1), round(float(chance), 4))
            for difficulty, margin, chance in zip(*columns, strict=True)
        ]

    @cached_property
    def _names(self) -> list[str]:
        return self.rating.feature_name()


def all_features(problem: Problem, human: HumanModel, ratings: Sequence[int]) -> dict[str, float]:
    """Return the features of a problem by name; the human model is asked about players of these `ratings`."""
    return features(problem) | human_features(problem, human, ratings)


def load_rating_model(human: HumanModel) -> RatingModel:
    """Open the rating model that goes with a human-move model. Raises `HumanModelError` if none does."""
    try:
        # Imported only here: it takes a second, and needs a library that Python does not install.
        from lightgbm import Booster
    except (ImportError, OSError) as error:
        raise LibraryMissingError(
            "LightGBM cannot be loaded; it needs OpenMP, on Debian and Ubuntu: sudo apt install libgomp1"
        ) from error
    folders = sorted(MODELS.iterdir())
    for folder in folders:
        about = json.loads((folder / "about.json").read_text())
        if about["human_model"] == human.digest:
            return RatingModel(
                human,
                tuple(about["ratings"]),
                rating=Booster(model_file=str(folder / "rating.txt")),
                margin=Booster(model_file=str(folder / "margin.txt")),
            )
    raise HumanModelError(
        "no rating model goes with this human-move model; there are models for these: "
        + ", ".join(folder.name for folder in folders)
    )
