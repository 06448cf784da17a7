"""What the tree of a puzzle adds to the estimate of its difficulty: a weight for each attribute."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from puzzlegen.difficulty.attributes import TreeAttributes


@dataclass(frozen=True)
class TreeCorrection:
    """Points to add to an estimate: a constant and, for each attribute, its value times its weight.

    `training/tree_correction.py` learns the weights by ridge regression.
    """

    constant: float
    weights: Mapping[str, float]

    @classmethod
    def load(cls, file: Path) -> TreeCorrection:
        """Read the correction that comes with a rating model."""
        return cls(**json.loads(file.read_text()))

    def points(self, attributes: TreeAttributes) -> float:
        """Return the correction for a puzzle."""
        values = attributes.vector()
        return self.constant + sum(weight * values[name] for name, weight in self.weights.items())
