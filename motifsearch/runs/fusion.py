"""Scores of terms and of vectors as one: their weighted sum.

Scores of terms mean nothing by themselves, so that each is divided by the best one; those of vectors have a
fixed scale. The best games of either ranking are united, and each position has both scores.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import NamedTuple, TypeVar

# How much the vectors count; the terms count the rest. Set by benchmarks/position_fusion.py.
WEIGHT = 0.3

# Games of each ranking that are united.
DEPTH = 100

# The score of a position that is the best one by its terms and has the vector of the query.
BEST = 100.0

# The part of a score that comes from vectors. Those of terms are named after the families of these.
VECTORS = "vectors"

K = TypeVar("K", bound=Hashable)


class Shares(NamedTuple):
    """What the terms and the vector of a position add to its score."""

    terms: float
    vectors: float


def fused(
    by_terms: Mapping[K, float], by_vectors: Mapping[K, float], weight: float = WEIGHT
) -> dict[K, Shares]:
    """Return what makes up the score of each position, best first.

    Both mappings have the scores of the same positions, those of vectors up to `BEST`. Of positions with the
    same score, that with the higher score of terms comes first.
    """
    best = max(by_terms.values(), default=0.0) or 1.0
    shares = {
        name: Shares((1 - weight) * BEST * score / best, weight * by_vectors[name])
        for name, score in by_terms.items()
    }
    return dict(sorted(shares.items(), key=lambda item: (-sum(item[1]), -item[1].terms)))
