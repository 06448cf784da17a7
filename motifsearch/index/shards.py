"""An index in several shards, which are searched side by side and rank as one.

Tantivy scores a term by how rare it is in its own index, and so in each shard by that shard's documents. Here
a term is as rare as it is in all shards together: in each of them, the boost of a word is multiplied by its
idf in all shards, divided by its idf in this one. Only the average length of a field remains each shard's
own. As documents are divided evenly, it is nearly the same.
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
    """The shards of an index, wherever they are open; each document is in one of them."""

    @property
    def missing(self) -> Sequence[str]:
        """Why a shard cannot be searched, a line for each such shard: its documents are not found."""

    def each(self, work: Callable[[Index, T], R], items: Sequence[T]) -> list[R]:
        """Return the results of working on each item in each shard: those of a shard together, in order.

        The work may be done by other processes: it and the items, and what it returns, must be picklable.
        """


class OpenShards:
    """Shards that are open in this process. A document is in that of its number modulo their count."""

    missing: Sequence[str] = ()

    def __init__(self, shards: Sequence[Index]) -> None:
        self.shards = shards

    def each(self, work: Callable[[Index, T], R], items: Sequence[T]) -> list[R]:
        """Return the results of working on each item in each shard, on all cores."""
        pairs = list(product(self.shards, items))
        if len(pairs) <= 1:
            return [work(*pair) for pair in pairs]
        # Tantivy searches without holding Python's lock.
        with ThreadPoolExecutor(min(len(pairs), os.cpu_count() or 1)) as threads:
            return list(threads.map(lambda pair: work(*pair), pairs))


@dataclass(frozen=True)
class CountsOfAll:
    """The `Counts` of all shards together: of their documents, and of those with each of some words."""

    count: int
    frequencies: Mapping[Word, int]

    def frequency(self, field: str, term: str) -> int:
        """Return the number of documents that contain a term, one of the words that were counted."""
        return self.frequencies[Word(field, term)]


def counts_of(shards: Shards, words: Iterable[Word] = ()) -> CountsOfAll:
    """Return the number of documents in all shards, and of those that contain each of the words."""
    asked = list(dict.fromkeys(words))
    of_each = shards.each(_counts_in, [asked])
    count, *frequencies = (sum(numbers) for numbers in zip(*of_each, strict=True))
    return CountsOfAll(count, dict(zip(asked, frequencies, strict=True)))


def _counts_in(shard: Index, words: Sequence[Word]) -> list[int]:
    return [shard.count, *(shard.frequency(*word) for word in words)]


def within(shard: Index, query: Iterable[Clause], counts: Counts) -> list[Clause]:
    """Return a query with the boosts by which a shard scores as all shards together, which have `counts`."""
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
