"""The nearest of many vectors, found by faiss."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from chess_motif.errors import IndexDamagedError, LibraryMissingError
from chess_motif.output import rename
from engines.human.planes import Array

try:
    import faiss
except ImportError as error:
    raise LibraryMissingError(
        "a memory of positions needs faiss; pip install 'chess-motif[retrieval]'"
    ) from error

Numbers = npt.NDArray[np.int64]

# Up to this number of vectors, a search compares all of them.
MOST_FLAT = 500_000

# The number of vectors that clusters are made from, and of clusters that a search looks at.
TRAINING = 200_000
PROBES = 32

# Bytes that are read at a time.
PIECE = 2**20


class VectorIndex:
    """Vectors in an index of faiss, numbered from 0 in the order in which they were added."""

    def __init__(self, index: Any) -> None:
        self._index = index

    @property
    def count(self) -> int:
        """The number of vectors."""
        return int(self._index.ntotal)

    @property
    def dimensions(self) -> int:
        """The length of each vector."""
        return int(self._index.d)

    def nearest(
        self, vector: Array, k: int, allowed: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Numbers, Array]:
        """Return the numbers and squared distances of the `k` vectors nearest to `vector`, nearest first.

        Only vectors for whose number `allowed` is true are returned. Above `MOST_FLAT` vectors, some of the
        nearest may be missed; the fewer vectors are allowed, the fewer are missed.
        """
        clustered = isinstance(self._index, faiss.IndexIVF)
        parameters: Any = faiss.SearchParametersIVF() if clustered else faiss.SearchParameters()
        if clustered:
            share = 1.0 if allowed is None else np.count_nonzero(allowed) / allowed.size
            parameters.nprobe = min(self._index.nlist, int(PROBES / max(share, 1e-9)))
        if allowed is not None:
            bits = np.packbits(allowed, bitorder="little")
            parameters.sel = faiss.IDSelectorBitmap(allowed.size, faiss.swig_ptr(bits))
        distances, numbers = self._index.search(vector[None], min(k, self.count), params=parameters)
        found = numbers[0] >= 0
        return numbers[0][found], distances[0][found]

    def save(self, file: Path) -> int:
        """Write the index to a file, which is complete or missing; return its checksum. Raises `OSError`."""
        new = file.with_name(f"{file.name}.new")
        try:
            # Not by its name: on Windows, faiss takes the bytes of an umlaut for other letters.
            with new.open("wb") as out:
                faiss.write_index(self._index, faiss.PyCallbackIOWriter(out.write))  # type: ignore[attr-defined]
        except RuntimeError as error:
            raise OSError(str(error)) from error
        checksum = checksum_of(new)
        rename(new, file)
        return checksum


def index_vectors(batches: Callable[[], Iterable[Array]], count: int) -> VectorIndex:
    """Return an index of `count` vectors. More than `MOST_FLAT` vectors are read twice."""
    index: Any = None
    for batch in batches():
        if index is None:
            index = _trained(batches, count, batch.shape[1])
        index.add(batch)
    return VectorIndex(index)


def load_vectors(file: Path, checksum: int) -> VectorIndex:
    """Return the index that `VectorIndex.save` wrote with this checksum.

    Raises `IndexDamagedError` if the file cannot be read.
    """
    try:
        # faiss itself crashes on some damaged files.
        if checksum != checksum_of(file):
            raise IndexDamagedError(f"{file}: damaged")
        with file.open("rb") as stream:
            return VectorIndex(faiss.read_index(faiss.PyCallbackIOReader(stream.read)))  # type: ignore[attr-defined]
    # If a length is damaged, faiss may reserve too much memory.
    except (OSError, RuntimeError, MemoryError) as error:
        raise IndexDamagedError(f"{file}: missing or damaged") from error


def checksum_of(file: Path) -> int:
    """Return the CRC-32 of a file. Raises `OSError`."""
    checksum = 0
    with file.open("rb") as stream:
        while piece := stream.read(PIECE):
            checksum = crc32(piece, checksum)
    return checksum


def _trained(batches: Callable[[], Iterable[Array]], count: int, dimensions: int) -> Any:
    """Return an empty index for `count` vectors, trained on some of them."""
    if count <= MOST_FLAT:
        return faiss.index_factory(dimensions, "SQfp16")
    # The usual number of clusters, see faiss' "Guidelines to choose an index".
    index = faiss.index_factory(dimensions, f"IVF{int(4 * np.sqrt(count))},SQ8")
    random = np.random.default_rng(1)
    index.train(np.concatenate([batch[random.random(len(batch)) < TRAINING / count] for batch in batches()]))
    return index
