"""The examples of a file, in batches for the network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

BATCH = 128

# Batches whose examples are sorted by length together, so that those of a batch are about as long.
SORTED_BATCHES = 8


class Batch(NamedTuple):
    """N examples: `tokens` (N, T, 3) and `moves` (N, M, 3), with which of them are there (N, T) and (N, M).

    The move that was played is the first of each example.
    """

    tokens: Tensor
    token_mask: Tensor
    moves: Tensor
    move_mask: Tensor


class Examples:
    """The examples of a file that `training.chessbert.examples` made.

    Without `contexts`, each is the query alone.
    """

    def __init__(self, file: Path, contexts: bool = True) -> None:
        with np.load(file) as arrays:
            self._tokens, self._moves = arrays["tokens"], arrays["moves"]
            self._token_starts, self._token_counts = _starts_and_counts(arrays["token_ends"])
            self._move_starts, self._move_counts = _starts_and_counts(arrays["move_ends"])
            if not contexts:
                self._token_counts = arrays["query_tokens"].astype(np.int64)
            self.training, self.test = np.flatnonzero(~arrays["test"]), np.flatnonzero(arrays["test"])

    def training_batches(self) -> Iterator[Batch]:
        """Yield the examples for training again and again, each time in another order."""
        order = np.random.default_rng(2)
        group = SORTED_BATCHES * BATCH
        while True:
            rows = order.permutation(self.training)
            for first in range(0, len(rows), group):
                several = rows[first : first + group]
                batches = _batches(several[np.argsort(self._token_counts[several], kind="stable")])
                for number in order.permutation(len(batches)):
                    yield self._batch(batches[number])

    def test_batches(self) -> Iterator[Batch]:
        """Yield the examples for the test."""
        yield from map(self._batch, _batches(self.test))

    def _batch(self, rows: np.ndarray) -> Batch:
        tokens = _padded(self._tokens, self._token_starts[rows], self._token_counts[rows])
        return Batch(*tokens, *_padded(self._moves, self._move_starts[rows], self._move_counts[rows]))


def _batches(rows: np.ndarray) -> list[np.ndarray]:
    """Return the rows divided into parts of about the size of a batch."""
    return np.array_split(rows, max(1, len(rows) // BATCH))


def _starts_and_counts(ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    counts = np.diff(ends, prepend=0)
    return ends - counts, counts


def _padded(values: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> tuple[Tensor, Tensor]:
    """Return spans of rows as one array, and which of its rows are not padding."""
    places = np.arange(counts.max())
    mask = places < counts[:, None]
    padded = values[np.where(mask, starts[:, None] + places, 0)].astype(np.int64)
    return torch.from_numpy(padded), torch.from_numpy(mask)
