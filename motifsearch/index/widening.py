"""Searching further down a ranking until there are enough results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

# By this factor each further search asks for more results.
FACTOR = 8


def widening(search: Callable[[int], Sequence[T]], limit: int) -> Iterator[Sequence[T]]:
    """Yield the best `limit` results, then `FACTOR` times as many, and so on until there are no more.

    `search(n)` returns the best n results. The caller leaves the loop when it has enough.
    """
    while True:
        results = search(limit)
        yield results
        if len(results) < limit:
            return
        limit *= FACTOR
