"""The nearest vectors: against comparing with each of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import pytest

from chess_motif.errors import IndexDamagedError
from motifsearch.retrieval import vectors
from motifsearch.retrieval.vectors import VectorIndex, checksum_of, index_vectors, load_vectors

POINTS = np.random.default_rng(3).standard_normal((3000, 16)).astype(np.float16).astype(np.float32)
QUERY = POINTS[1234] + 0.01
BY_DISTANCE = np.argsort(np.square(POINTS - QUERY).sum(axis=1))


def indexed() -> VectorIndex:
    return index_vectors(lambda: np.array_split(POINTS, 7), len(POINTS))


def test_a_few_vectors_are_compared_one_by_one() -> None:
    numbers, _ = indexed().nearest(QUERY, 20)
    assert numbers.tolist() == BY_DISTANCE[:20].tolist()


def test_distances_are_squared() -> None:
    _, distances = indexed().nearest(QUERY, 1)
    assert distances[0] == pytest.approx(16 * 0.01**2, rel=0.01)


def test_only_allowed_vectors_are_found() -> None:
    allowed = np.arange(len(POINTS)) % 3 == 0
    numbers, _ = indexed().nearest(QUERY, 20, allowed)
    assert numbers.tolist() == [number for number in BY_DISTANCE if number % 3 == 0][:20]


def test_all_vectors_can_be_asked_for() -> None:
    numbers, _ = indexed().nearest(QUERY, 10**6)
    assert sorted(numbers) == list(range(len(POINTS)))


@pytest.fixture
def clustered(monkeypatch: pytest.MonkeyPatch) -> VectorIndex:
    monkeypatch.setattr(vectors, "MOST_FLAT", 2000)
    return indexed()


def test_many_vectors_are_found_by_clusters(clustered: VectorIndex) -> None:
    numbers, _ = clustered.nearest(QUERY, 10)
    assert len({*numbers} & {*BY_DISTANCE[:10]}) >= 8


def test_clusters_respect_what_is_allowed(clustered: VectorIndex) -> None:
    allowed = np.arange(len(POINTS)) % 3 == 0
    numbers, _ = clustered.nearest(QUERY, 10, allowed)
    assert len(numbers) == 10
    assert not any(number % 3 for number in numbers)


def test_few_allowed_vectors_are_found_wherever_they_are(clustered: VectorIndex) -> None:
    allowed = np.arange(len(POINTS)) % 500 == 0
    numbers, _ = clustered.nearest(QUERY, 10, allowed)
    assert len(numbers) == 6


def test_a_saved_index_finds_the_same(tmp_path: Path) -> None:
    checksum = indexed().save(tmp_path / "vectors")
    numbers, _ = load_vectors(tmp_path / "vectors", checksum).nearest(QUERY, 20)
    assert numbers.tolist() == BY_DISTANCE[:20].tolist()


def test_a_damaged_length_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "vectors"
    indexed().save(file)
    # As many bytes as all vectors have, as 16-bit numbers.
    length, longer = ((count * 2).to_bytes(8, "little") for count in (POINTS.size, 1 << 37))
    assert file.read_bytes().count(length) == 1
    file.write_bytes(file.read_bytes().replace(length, longer))
    with pytest.raises(IndexDamagedError):
        load_vectors(file, checksum_of(file))


def test_files_are_not_opened_by_faiss_which_knows_no_umlauts_on_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nameless(work: Callable[..., Any]) -> Callable[..., Any]:
        def checked(*arguments: object) -> Any:
            assert not any(isinstance(argument, str) for argument in arguments)
            return work(*arguments)

        return checked

    for name in ("write_index", "read_index"):
        monkeypatch.setattr(faiss, name, nameless(getattr(faiss, name)))
    file = tmp_path / "Jörg.faiss"
    assert load_vectors(file, indexed().save(file)).count == len(POINTS)
