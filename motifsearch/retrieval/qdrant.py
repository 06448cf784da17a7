"""The nearest of many vectors, found by a Qdrant server: for memories that are too large for one machine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from chess_motif.errors import IndexUnavailableError, LibraryMissingError
from chess_motif.parallel import chunks_of
from chess_motif.progress import Progress
from engines.human.planes import Array
from motifsearch.retrieval.vectors import MOST_FLAT, Numbers

try:
    from qdrant_client import QdrantClient, models
    from qdrant_client.common.client_exceptions import QdrantException
    from qdrant_client.http.exceptions import ApiException
except ImportError as error:
    raise LibraryMissingError(
        "a memory on a Qdrant server needs qdrant-client; pip install 'chess-motif[retrieval,qdrant]'"
    ) from error

# Vectors uploaded at a time.
BATCH = 1000

# Numbers that a request names at most, and vectors that it asks for at most. If too few of them are allowed,
# the next request asks for so many times more.
MOST = 10_000
OVERFETCH = 4

# Seconds to wait for an answer.
TIMEOUT = 10

# The environment variables with the key of a server that asks for one, and with the address of that server:
# a memory from elsewhere may name any other, which must not get the key.
API_KEY = "QDRANT_API_KEY"
KEY_ADDRESS = "QDRANT_URL"


def connect(address: str) -> QdrantClient:
    """Return a client of the server at an address. Raises `ValueError` if it is none."""
    key = os.environ.get(API_KEY) if address == os.environ.get(KEY_ADDRESS) else None
    return QdrantClient(url=address, api_key=key, timeout=TIMEOUT, check_compatibility=False)


class QdrantVectors:
    """Vectors in a collection on a server, numbered from 0 in the order in which they were uploaded.

    Searches find the first `count` only: a build may be adding others. Every method raises
    `IndexUnavailableError` if the server cannot be used.
    """

    def __init__(self, address: str, collection: str, count: int = 0) -> None:
        self._address, self._collection, self.count = address, collection, count
        with self._asking():
            self._client = connect(address)

    def uploaded(self) -> int:
        """Return how many vectors the collection has, 0 if there is none."""
        with self._asking():
            if not self._client.collection_exists(self._collection):
                return 0
            return self._client.count(self._collection, exact=True).count

    def drop(self) -> None:
        """Delete the collection if there is one."""
        with self._asking():
            self._client.delete_collection(self._collection)

    def upload(self, batches: Iterable[Array], count: int, progress: Progress) -> None:
        """Upload vectors, `count` in all, without those that an earlier call uploaded."""
        # The last request of an interrupted call may have been carried out in part.
        done = max(0, self.uploaded() - BATCH)
        first = 0
        for vectors in batches:
            if first == 0:
                self._create(vectors.shape[1])
            for start in range(max(0, done - first), len(vectors), BATCH):
                rows = vectors[start : start + BATCH]
                numbers = range(first + start, first + start + len(rows))
                points = models.Batch(ids=[*numbers], vectors=rows.tolist())
                with self._asking():
                    self._client.upsert(self._collection, points, wait=True)
            first += len(vectors)
            progress.update("uploading positions", first, count, "position")
        self.count = first

    def nearest(
        self, vector: Array, k: int, allowed: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Numbers, Array]:
        """Return the nearest vectors, see `VectorIndex.nearest`."""
        possible = range(self.count) if allowed is None else np.flatnonzero(allowed).tolist()
        k = min(k, len(possible))
        # A few numbers can be named in a request. Of many, more vectors are asked for than wanted.
        limit = k if allowed is None else 2 * k * self.count // max(1, len(possible))
        while len(possible) > MOST and limit <= MOST:
            numbers, distances = self._search(vector, limit)
            kept = numbers < self.count
            if allowed is not None:
                kept[kept] = allowed[numbers[kept]]
            if np.count_nonzero(kept) >= k:
                return numbers[kept][:k], distances[kept][:k]
            limit *= OVERFETCH
        parts = [self._search(vector, k, some) for some in chunks_of(possible, MOST)]
        numbers = np.concatenate([np.zeros(0, np.int64), *(part[0] for part in parts)])
        distances = np.concatenate([np.zeros(0, np.float32), *(part[1] for part in parts)])
        order = np.argsort(distances, kind="stable")[:k]
        return numbers[order], distances[order]

    def _search(self, vector: Array, limit: int, among: list[int] | None = None) -> tuple[Numbers, Array]:
        named = None if among is None else models.Filter(must=[models.HasIdCondition(has_id=[*among])])
        exact = models.SearchParams(exact=among is not None or self.count <= MOST_FLAT)
        with self._asking():
            found = self._client.query_points(
                self._collection,
                vector.tolist(),
                query_filter=named,
                search_params=exact,
                limit=limit,
                with_payload=False,
            ).points
        numbers = np.array([point.id for point in found], np.int64)
        return numbers, np.square(np.array([point.score for point in found], np.float32))

    def _create(self, dimensions: int) -> None:
        with self._asking():
            if not self._client.collection_exists(self._collection):
                # The vectors of a memory have 16 bits.
                vectors = models.VectorParams(
                    size=dimensions, distance=models.Distance.EUCLID, datatype=models.Datatype.FLOAT16
                )
                self._client.create_collection(self._collection, vectors)

    @contextmanager
    def _asking(self) -> Iterator[None]:
        try:
            yield
        # A `ValueError` is about the address.
        except (ApiException, QdrantException, ValueError) as error:
            reason = str(error).partition("\n")[0]
            if os.environ.get(API_KEY) and os.environ.get(KEY_ADDRESS) != self._address:
                reason += f"; {API_KEY} is only sent to the address in {KEY_ADDRESS}"
            raise IndexUnavailableError(
                f"{self._address}: the Qdrant server cannot be used: {reason}"
            ) from error


def open_qdrant(address: str, collection: str, count: int) -> QdrantVectors:
    """Return the first `count` vectors of a collection.

    Raises `IndexUnavailableError` if the server cannot be used or does not have them.
    """
    vectors = QdrantVectors(address, collection, count)
    if (there := vectors.uploaded()) < count:
        raise IndexUnavailableError(
            f"{address}: {there} of {count} positions in the collection {collection}; "
            "'motifsearch retrieval build' uploads the others"
        )
    return vectors
