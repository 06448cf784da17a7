"""Principal components: vectors of thousands of numbers as 64, so that distances change least."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

# Components beyond those wanted, and passes over the data: enough for exact leading components (Halko,
# Martinsson & Tropp, "Finding Structure with Randomness", SIAM Review 2011, section 4.4).
SPARE = 16
PASSES = 3


@dataclass(frozen=True)
class Projection:
    """A linear map from vectors of some length to fewer numbers, `components` of shape (length, fewer)."""

    mean: Array
    components: Array

    def __call__(self, vectors: Array) -> Array:
        """Return the projections of vectors, the rows of an array."""
        return vectors @ self.components - self.mean @ self.components


def fit_projection(vectors: Array, dimensions: int) -> Projection:
    """Return the projection of vectors (rows) to their leading principal components.

    It is scaled so that the mean squared length of the projections is 1. The same vectors give the same
    projection.
    """
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    basis = np.random.default_rng(1).standard_normal((vectors.shape[1], dimensions + SPARE), np.float32)
    for _ in range(PASSES):
        basis = np.linalg.qr(centred.T @ np.linalg.qr(centred @ basis)[0])[0]
    _, _, rotation = np.linalg.svd(centred @ basis, full_matrices=False)
    components = basis @ rotation[:dimensions].T
    spread = np.square(centred @ components).sum(axis=1).mean()
    # All vectors may be the same.
    scale = np.sqrt(max(spread, np.finfo(np.float32).tiny))
    return Projection(mean, np.asarray(components / scale, np.float32))
