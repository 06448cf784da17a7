"""Searching further down a ranking until enough has been found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

# How many times as many results each further search asks for.
FACTOR = 8


def widening(search: Callable[[int], Sequence[T]], limit: int) -> Iterator[Sequence[T]]:
    """Yield the best `limit` results, then `FACTOR` times as many, and so on until there are no more.

    `search(n)` returns the best n results. The caller leaves the loop when it has enough.
    """
    while True:
        found = search(limit)
        yield found
        if len(found) < limit:
            return
        limit *= FACTOR
