"""Searching further down a ranking."""

from __future__ import annotations

from motifsearch.index.widening import FACTOR, widening

RANKING = list(range(100))


def test_each_search_is_wider_until_there_are_no_more_results() -> None:
    assert [len(found) for found in widening(lambda limit: RANKING[:limit], 10)] == [10, 10 * FACTOR, 100]


def test_no_further_search_once_the_caller_has_enough() -> None:
    asked: list[int] = []

    def search(limit: int) -> list[int]:
        asked.append(limit)
        return RANKING[:limit]

    for found in widening(search, 3):
        if 20 in found:
            break
    assert asked == [3, 3 * FACTOR]
