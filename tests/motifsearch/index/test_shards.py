"""Shards rank as one index, however the documents are divided."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import chain

import pytest

from motifsearch.index.bm25 import Clause, Word, form_boosts, search
from motifsearch.index.directory import Index
from motifsearch.index.shards import OpenShards, counts_of, within
from tests.helpers.text_index import index_of

DOCUMENTS = 1400

WORDS = [f"w{rank}" for rank in range(1, 100)]


def text(number: int) -> list[str]:
    """Return the words of a document; all have the same number of them."""
    chance = random.Random(number)
    words = chance.choices(WORDS, [1 / rank for rank in range(1, 100)], k=28)
    return [*words, "even" if number % 2 == 0 else "odd", "seventh" if number % 7 == 0 else "other"]


def shards_of(count: int) -> OpenShards:
    shares = (range(shard, DOCUMENTS, count) for shard in range(count))
    return OpenShards([index_of((number, text(number)) for number in share) for share in shares])


def ranking(index: OpenShards, words: Sequence[str]) -> list[tuple[float, int]]:
    """Return the best twenty documents with their scores."""
    asked = {word: {Word("text", word): 1.0, Word("text", "odd"): 0.3} for word in words}
    counts = counts_of(index, chain.from_iterable(asked.values()))
    query = [Clause("text", word, form_boosts(counts, forms)) for word, forms in asked.items()]

    def of_shard(shard: Index, clauses: Sequence[Clause]) -> list[tuple[float, int]]:
        hits = search(shard, within(shard, clauses, counts), 20)
        numbers = shard.values("number", [address for _, address in hits])
        return [(round(score, 3), number or 0) for (score, _), number in zip(hits, numbers, strict=True)]

    found = [hit for hits in index.each(of_shard, [query]) for hit in hits]
    return sorted(found, key=lambda hit: (-hit[0], hit[1]))[:20]


@pytest.fixture(scope="module")
def whole() -> OpenShards:
    return shards_of(1)


@pytest.mark.parametrize("count", [2, 7])
@pytest.mark.parametrize("words", [["w1", "w50"], ["even", "w3", "w90"], ["seventh", "w7"], ["w99", "w98"]])
def test_shards_rank_as_one_index(whole: OpenShards, count: int, words: list[str]) -> None:
    expected, found = ranking(whole, words), ranking(shards_of(count), words)
    assert [score for score, _ in found] == pytest.approx([score for score, _ in expected], abs=0.002)
    # Of documents with the same score, either may come first, and the last ones may be others.
    last = expected[-1][0] + 0.002
    assert {number for score, number in found if score > last} == {
        number for score, number in expected if score > last
    }


def test_a_frequency_is_that_of_all_shards(whole: OpenShards) -> None:
    seventh = Word("text", "seventh")
    counts = counts_of(shards_of(7), [seventh])
    assert counts == counts_of(whole, [seventh])
    assert (counts.count, counts.frequency(*seventh)) == (DOCUMENTS, DOCUMENTS // 7)


def test_a_word_that_a_shard_lacks_is_not_asked_of_it() -> None:
    shards = shards_of(2)
    even, odd = shards.shards
    word = Word("text", "even")
    query, counts = [Clause("text", "even", {word: 1.0})], counts_of(shards, [word])
    assert within(odd, query, counts) == []
    (clause,) = within(even, query, counts)
    # All even documents have it, so that it counts little there, and as half of all do: much more.
    assert clause.boosts[word] > 100
