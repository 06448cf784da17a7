"""Terms of the labels that a puzzle is likely to have, as learned from labelled puzzles.

The terms of a puzzle's other fields go in, the terms of its likely labels come out. The model is a text file:
for each label a bias and the weights of the terms that speak for or against it (logistic regression, one
label against the others, L1 penalty, so that most terms have no weight). `training/likely.py` makes it from
the motifs that people named and from the themes of Lichess' puzzles.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, hypot
from pathlib import Path

MODEL_FILE = Path(__file__).with_name("likely.json")

# The fields that the model reads: what happens in the solution, but not on which squares.
READ_FIELDS = ("motif_names", "end_moves", "course_steps", "course_line")

# The fields of the terms made here: the motifs that people name, and the themes of Lichess.
LIKELY_FIELDS = ("likely_motif", "likely_theme")

# The least length that likelihoods are divided by, so that noise does not become likely.
LEAST_LENGTH = 0.5

# A likelihood of 1 is this many terms.
LEVELS = 5


@dataclass(frozen=True)
class LabelModel:
    """How likely each label is: `bias` and `weights` (by term, see `features`) are logits."""

    bias: Mapping[str, float]
    weights: Mapping[str, Mapping[str, float]]

    def likelihoods(self, read: Iterable[str]) -> dict[str, float]:
        """Return the likelihood (0…1) of each label, given the `features` of a puzzle."""
        logits = dict(self.bias)
        for feature in read:
            for label, weight in self.weights.get(feature, {}).items():
                logits[label] += weight
        return {label: 1 / (1 + exp(-logit)) for label, logit in logits.items()}


def likely_fields(fields: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the terms of the likely labels by field, given the terms of a puzzle's other fields."""
    read = features(fields)
    return {field: level_terms(model.likelihoods(read)) for field, model in _models().items()}


def features(fields: Mapping[str, Sequence[str]]) -> set[str]:
    """Return what the model reads of a puzzle: each term once, with its field."""
    return {f"{field}:{term}" for field in READ_FIELDS for term in fields[field]}


def level_terms(likelihoods: Mapping[str, float]) -> list[str]:
    """Return a term for each step of `1 / LEVELS` of a label's likelihood: `fork:1`, `fork:2`, …

    The likelihoods are first divided by the length of their vector, so that puzzles with more and less
    certain labels can be compared. The terms that two puzzles share are then, for each label, the smaller one
    of the two likelihoods.
    """
    length = max(hypot(*likelihoods.values()), LEAST_LENGTH)
    return [
        f"{label}:{level}"
        for label, likelihood in likelihoods.items()
        for level in range(1, round(LEVELS * likelihood / length) + 1)
    ]


@cache
def _models() -> dict[str, LabelModel]:
    written = json.loads(MODEL_FILE.read_text(encoding="utf-8"))
    return {field: LabelModel(**written[field]) for field in LIKELY_FIELDS}
