"""An index in several shards, which are searched side by side and rank as one.

Tantivy scores a term by how rare it is in its own index, and so in each shard by that shard's documents. Here
a term is as rare as it is in all shards together: in each of them, the boost of a word is multiplied by its
idf in all shards, divided by its idf in this one. Only the average length of a field remains each shard's
own. As documents are divided evenly, it is nearly the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product
from typing import TypeVar

from motifsearch.index.bm25 import Clause, Word, idf
from motifsearch.index.directory import Index

T = TypeVar("T")
R = TypeVar("R")


class Shards:
    """One or more open indexes; each document is in one of them, that of its number modulo their count."""

    def __init__(self, shards: Sequence[Index]) -> None:
        self.shards = shards

    @property
    def count(self) -> int:
        """The number of documents in all shards."""
        return sum(shard.count for shard in self.shards)

    def frequency(self, field: str, term: str | int) -> int:
        """Return the number of documents that contain a term."""
        return sum(shard.frequency(field, term) for shard in self.shards)

    def shard_of(self, number: int) -> Index:
        """Return the shard of the documents with a database number."""
        return self.shards[number % len(self.shards)]

    def within(self, shard: Index, query: Iterable[Clause]) -> list[Clause]:
        """Return a query with the boosts by which a shard scores as all shards together would."""
        if len(self.shards) == 1:
            return list(query)

        def boost(word: Word, of_all: float) -> float:
            return of_all * idf(self, self.frequency(*word)) / idf(shard, shard.frequency(*word))

        clauses = []
        for clause in query:
            present = [word for word in clause.boosts if shard.frequency(*word)]
            if present:
                boosts = {word: boost(word, clause.boosts[word]) for word in present}
                clauses.append(replace(clause, boosts=boosts))
        return clauses

    def each(self, work: Callable[[Index, T], R], items: Sequence[T]) -> list[R]:
        """Return the results of working on each item in each shard, on all cores."""
        pairs = list(product(self.shards, items))
        if len(pairs) == 1:
            return [work(*pairs[0])]
        # Tantivy searches without holding Python's lock.
        with ThreadPoolExecutor(min(len(pairs), os.cpu_count() or 1)) as threads:
            return list(threads.map(lambda pair: work(*pair), pairs))
