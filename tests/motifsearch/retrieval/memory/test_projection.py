"""Principal components: against an exact decomposition."""

from __future__ import annotations

import numpy as np
import pytest

from motifsearch.retrieval.embedding import Projection, fit_projection


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    chance = np.random.default_rng(7)
    spread = 2.0 ** -np.arange(40)
    return (chance.standard_normal((500, 40)) * spread + 3).astype(np.float32)


@pytest.fixture(scope="module")
def projection(vectors: np.ndarray) -> Projection:
    return fit_projection(vectors, 4)


def test_it_spans_the_leading_components(vectors: np.ndarray, projection: Projection) -> None:
    _, _, exact = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    basis, _ = np.linalg.qr(projection.components)
    overlap = np.linalg.norm(exact[:4] @ basis, axis=1)
    assert overlap == pytest.approx(np.ones(4), abs=1e-3)


def test_it_is_centred(vectors: np.ndarray, projection: Projection) -> None:
    assert projection(vectors).mean(axis=0) == pytest.approx(np.zeros(4), abs=1e-5)


def test_the_mean_squared_length_is_one(vectors: np.ndarray, projection: Projection) -> None:
    assert np.square(projection(vectors)).sum(axis=1).mean() == pytest.approx(1, abs=1e-3)


def test_the_same_vectors_give_the_same_projection(vectors: np.ndarray, projection: Projection) -> None:
    assert np.array_equal(fit_projection(vectors, 4).components, projection.components)
