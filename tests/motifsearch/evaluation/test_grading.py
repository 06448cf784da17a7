"""What a person grades."""

from __future__ import annotations

import pytest

from chess_motif.errors import InputError
from motifsearch.evaluation.grading import POOL_DEPTH, grading_task, pool
from motifsearch.positions.feature_sets import FeatureSet
from tests.helpers.archived_games import QUEENS, ROOKS, found
from tests.helpers.results_to_grade import QUERIES, RESULTS


def kings(place: int) -> str:
    """Return one position after the other in which no two are the same."""
    return f"6k1/8/8/8/8/8/8/{place}K{7 - place} w - - 0 1".replace("0K", "K").replace("K0", "K")


def test_each_position_is_graded_once_for_all_games_that_reached_it() -> None:
    pooled = {one.placement: one.documents for one in pool(RESULTS, "1")}
    assert pooled == {ROOKS.split()[0]: ("a:0", "c:0"), QUEENS.split()[0]: ("b:0",)}


def test_only_the_first_results_of_a_run_are_pooled() -> None:
    deep = [found(key, 1.0, start=kings(place)) for place, key in enumerate("abcdefg")]
    pooled = pool({FeatureSet.ATTK: {"1": deep}}, "1")
    assert sorted(one.documents for one in pooled) == [(f"{key}:0",) for key in "abcde"]
    assert len(pooled) == POOL_DEPTH


def test_a_deeper_result_is_graded_with_the_same_position_above_it() -> None:
    deep = [found(key, 1.0, start=kings(place)) for place, key in enumerate("abcdef")]
    again = found("g", 0.5, start=kings(0))
    pooled = pool({FeatureSet.ATTK: {"1": [*deep, again]}}, "1")
    assert ("a:0", "g:0") in [one.documents for one in pooled]


def test_the_order_is_the_same_whichever_run_comes_first() -> None:
    deep = [found(key, 1.0, start=kings(place)) for place, key in enumerate("abcde")]
    forth = pool({FeatureSet.ATTK: {"1": deep}}, "1")
    back = pool({FeatureSet.ATTK: {"1": deep[::-1]}}, "1")
    assert forth == back
    assert [one.documents[0][0] for one in forth] != list("abcde")


def test_captions_name_the_game_and_the_move() -> None:
    game = found("a", 1.0, start=ROOKS.replace("0 1", "0 31"), white="Anna", date="2013.??.??")
    assert pool({FeatureSet.ATTK: {"1": [game]}}, "1")[0].caption == "Anna – ?, 2013, move 31"


def test_without_results_there_is_nothing_to_grade() -> None:
    with pytest.raises(InputError, match="nothing to grade"):
        grading_task(QUERIES, {FeatureSet.ATTK: {}})


def test_other_queries_are_kept_under_another_name() -> None:
    assert grading_task(QUERIES, RESULTS)["key"] != grading_task(QUERIES[:1], RESULTS)["key"]
