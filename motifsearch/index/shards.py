"""An index in several shards, which are searched in parallel and ranked as one index.

Tantivy scores a term by its idf in one shard. To score by the idf in all shards together, the boost of each
word is multiplied by its idf in all shards and divided by its idf in the shard. Only the average length of a
field is still that of the shard, which hardly differs, since documents are divided evenly.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from typing import Protocol, TypeVar

from motifsearch.index.bm25 import Clause, Counts, Word, idf
from motifsearch.index.directory import Index

T = TypeVar("T")
R = TypeVar("R")


class Shards(Protocol):
    """The shards of an index, wherever they are open; each document is in one shard."""

    @property
    def missing(self) -> Sequence[str]:
        """Why shards cannot be searched, a line for each; documents in these shards are not found."""

    def each(self, work: Callable[[Index, T], R], items: Sequence[T]) -> list[R]:
        """Return the results of working on each item in each shard, shard by shard, in order.

        Other processes may do the work, so that `work`, the items and the results must be picklable.
        """


class OpenShards:
    """Shards that are open in this process. A document is in the shard `number % count`."""

    missing: Sequence[str] = ()

    def __init__(self, shards: Sequence[Index]) -> None:
        self.shards = shards

    def each(self, work: Callable[[Index, T], R], items: Sequence[T]) -> list[R]:
        """Return the results of working on each item in each shard, on all cores."""
        pairs = list(product(self.shards, items))
        if len(pairs) <= 1:
            return [work(*pair) for pair in pairs]
        # Threads, since Tantivy releases Python's lock while it searches.
        with ThreadPoolExecutor(min(len(pairs), os.cpu_count() or 1)) as threads:
            return list(threads.map(lambda pair: work(*pair), pairs))


@dataclass(frozen=True)
class CountsOfAll:
    """The `Counts` of all shards together, for some words."""

    count: int
    frequencies: Mapping[Word, int]

    def frequency(self, field: str, term: str) -> int:
        """Return the number of documents that contain a term, which must have been counted."""
        return self.frequencies[Word(field, term)]


def counts_of(shards: Shards, words: Iterable[Word] = ()) -> CountsOfAll:
    """Count the documents in all shards, and the documents that contain each of the words."""
    asked = list(dict.fromkeys(words))
    of_each = shards.each(_counts_in, [asked])
    count, *frequencies = (sum(numbers) for numbers in zip(*of_each, strict=True))
    return CountsOfAll(count, dict(zip(asked, frequencies, strict=True)))


def _counts_in(shard: Index, words: Sequence[Word]) -> list[int]:
    return [shard.count, *(shard.frequency(*word) for word in words)]


def within(shard: Index, query: Iterable[Clause], counts: Counts) -> list[Clause]:
    """Return a query whose boosts make a shard score as if it had the `counts` of all shards."""
    if shard.count == counts.count:
        return list(query)

    def boost(word: Word, of_all: float) -> float:
        return of_all * idf(counts, counts.frequency(*word)) / idf(shard, shard.frequency(*word))

    clauses = []
    for clause in query:
        present = [word for word in clause.boosts if shard.frequency(*word)]
        if present:
            boosts = {word: boost(word, clause.boosts[word]) for word in present}
            clauses.append(replace(clause, boosts=boosts))
    return clauses
