"""Searching: rescoring finds what an exhaustive search finds, or nearly; overfetching stops in time."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
import tantivy

from motifsearch.index import bm25, directory
from motifsearch.index.bm25 import (
    OVERFETCH_FACTOR,
    Clause,
    Word,
    cheapest_part,
    overfetch,
    rounded,
    search,
    search_fast,
    search_few,
    search_within,
)
from motifsearch.index.directory import Index, Writer
from tests.helpers.text_index import index_of

DOCUMENTS = 3000

# Words, the most frequent first. A word with twice the rank occurs half as often.
WORDS = [f"w{rank}" for rank in range(1, 500)]
FREQUENCY = [1 / rank for rank in range(1, 500)]


@pytest.fixture(scope="module")
def texts() -> list[list[str]]:
    chance = random.Random(1)
    return [chance.choices(WORDS, FREQUENCY, k=30) for _ in range(DOCUMENTS)]


@pytest.fixture(scope="module")
def index(texts: list[list[str]]) -> Index:
    return index_of(enumerate(texts))


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rescoring, however small the index is."""
    monkeypatch.setattr(bm25, "LOOKUP", 0)
    monkeypatch.setattr(bm25, "CANDIDATE_POSTINGS", 1000)
    monkeypatch.setattr(bm25, "CANDIDATES", 100)


def query(text: Sequence[str]) -> list[Clause]:
    """Each word once, those with odd ranks with a tenth of the weight."""
    weights = {word: 0.1 if int(word[1:]) % 2 else 1.0 for word in text}
    return [Clause("text", word, {Word("text", word): weight}) for word, weight in weights.items()]


def found(index: Index, hits: Sequence[tuple[float, tantivy.DocAddress]]) -> dict[int | None, float]:
    numbers = index.values("number", [address for _, address in hits])
    return {number: rounded(score) for number, (score, _) in zip(numbers, hits, strict=True)}


def test_nearly_all_of_the_best_are_found_with_their_exact_scores(
    index: Index, texts: list[list[str]], always: None
) -> None:
    same = 0
    for text in texts[:100]:
        fast = found(index, search_fast(index, query(text), 10))
        exhaustive = found(index, search(index, query(text), 10))
        same += len(fast.keys() & exhaustive.keys())
        common = fast.keys() & exhaustive.keys()
        assert {number: fast[number] for number in common} == pytest.approx(
            {number: exhaustive[number] for number in common}, abs=0.002
        )
    assert 0.95 * 1000 < same <= 1000


def test_an_exact_search_reads_all_postings(index: Index, texts: list[list[str]], always: None) -> None:
    for text in texts[:20]:
        assert found(index, search_fast(index, query(text), 10, exact=True)) == found(
            index, search(index, query(text), 10)
        )


def test_a_small_index_is_searched_exhaustively(
    index: Index, texts: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bm25, "cheapest_part", None)
    assert len(search_fast(index, query(texts[0]), 10)) == 10


def test_only_some_documents(index: Index, texts: list[list[str]], always: None) -> None:
    for numbers in (range(20), range(0, DOCUMENTS, 2)):
        hits = search_fast(index, query(texts[0]), 10, numbers=numbers)
        every = found(index, search(index, query(texts[0]), DOCUMENTS))
        assert list(found(index, hits)) == [number for number in every if number in numbers][:10]


def test_the_cheapest_part_has_few_postings(index: Index, texts: list[list[str]]) -> None:
    whole = query(texts[0])
    for postings in (10, 300, 1000):
        part = cheapest_part(index, whole, postings)
        assert sum(index.frequency(*word) for clause in part for word in clause.boosts) <= postings
    terms = {clause.term for clause in cheapest_part(index, whole, 10**9)}
    assert terms == {clause.term for clause in whole} != set()


def test_a_high_weight_makes_up_for_a_frequent_term(index: Index) -> None:
    frequent, rare = ({Word("text", word): weight} for word, weight in (("w3", 2.0), ("w300", 0.01)))
    both = [Clause("text", "rare", rare), Clause("text", "frequent", frequent)]
    (first,) = cheapest_part(index, both, index.frequency("text", "w3"))
    assert first.term == "frequent"


def test_few_documents_have_the_scores_of_the_whole_search(index: Index, texts: list[list[str]]) -> None:
    only = tantivy.Query.term_set_query(index.schema, "number", list(range(0, DOCUMENTS, 100)))
    for text in (texts[0], texts[0][:1], []):
        few = found(index, search_few(index, query(text), only, DOCUMENTS))
        assert few == pytest.approx(
            found(index, search_within(index, query(text), only, DOCUMENTS)), abs=0.002
        )


def test_documents_of_one_length_score_as_if_deleted_ones_had_never_been(texts: list[list[str]]) -> None:
    gone = [number for number, text in enumerate(texts) if "w99" in text]
    left = index_of(enumerate(texts))
    with Writer(left) as writer:
        for number in gone:
            writer.remove(number)
    new = index_of((number, text) for number, text in enumerate(texts) if "w99" not in text)
    for text in texts[:20]:
        scores = [[score for score, _ in search(index, query(text), 100)] for index in (left, new)]
        assert scores[0] == pytest.approx(scores[1], abs=0.002)


def test_deleted_documents_with_a_frequent_term_are_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of(enumerate([["rare"], ["rare"], *[["frequent"]] * 8]))
    with Writer(index) as writer:
        writer.remove(0)
        writer.remove(1)
    monkeypatch.setattr(directory, "MOST_COUNTED", 2)
    assert (index.frequency("text", "rare"), index.frequency("text", "frequent")) == (0, 6)


RANKING = list(range(100))


def test_each_search_asks_for_more_until_there_are_no_more_results() -> None:
    assert [len(found) for found in overfetch(lambda limit: RANKING[:limit], 10)] == [
        10,
        10 * OVERFETCH_FACTOR,
        100,
    ]


def test_no_further_search_once_the_caller_has_enough() -> None:
    asked: list[int] = []

    def search(limit: int) -> list[int]:
        asked.append(limit)
        return RANKING[:limit]

    for found in overfetch(search, 3):
        if 20 in found:
            break
    assert asked == [3, 3 * OVERFETCH_FACTOR]
