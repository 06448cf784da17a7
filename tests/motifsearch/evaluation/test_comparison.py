"""Feature sets compared: what they share, and measures worked out by hand."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import log2

import pytest

from chess_motif.errors import InputError, LibraryMissingError
from db.store import Store
from motifsearch.evaluation.comparison import compare_runs, has_terms, measure, overlaps, retrieve
from motifsearch.evaluation.position_queries import NumberedPosition
from motifsearch.evaluation.trec import Results, document_id
from motifsearch.positions.feature_sets import FeatureSet
from motifsearch.positions.searcher import PositionHit, PositionSearcher
from tests.helpers.archived_games import GAMES, KING_QUERY, QUEEN_QUERY, ROOK_QUERY, archive, found


@pytest.fixture
def archived(sqlite_store: Store) -> Store:
    archive(sqlite_store, *GAMES)
    return sqlite_store


def search(store: Store, queries: Sequence[NumberedPosition], k: int) -> Results:
    with PositionSearcher(store) as searcher:
        return retrieve(searcher, queries, k)


def hits(keys: str) -> list[PositionHit]:
    return [found(key, 10.0 - place) for place, key in enumerate(keys)]


def test_every_feature_set_answers_every_query_that_has_its_terms(archived: Store) -> None:
    results = search(archived, [QUEEN_QUERY, KING_QUERY], 10)
    assert {feature_set: set(found) for feature_set, found in results.items()} == {
        FeatureSet.TRUE_POS: {"2", "3"},
        FeatureSet.RCHBLE_POS: {"2", "3"},
        FeatureSet.ATTK: {"2"},
        FeatureSet.DFNS: {"2"},
        FeatureSet.RAY_ATTK: {"2"},
        FeatureSet.COMB_NO_RAY: {"2", "3"},
        FeatureSet.COMB_ALL: {"2", "3"},
        FeatureSet.DEFAULT: {"2", "3"},
    }


def test_the_query_itself_is_found_first_and_its_game_once(archived: Store) -> None:
    results = search(archived, [ROOK_QUERY], 10)[FeatureSet.COMB_ALL]["1"]
    documents = [document_id(one) for one in results]
    assert documents[0] == "rook:0"
    assert len({document.split(":")[0] for document in documents}) == len(documents)


def test_a_run_is_as_deep_as_asked(archived: Store) -> None:
    assert len(search(archived, [ROOK_QUERY], 2)[FeatureSet.TRUE_POS]["1"]) == 2


def test_a_position_without_an_attack_has_no_terms_of_attk() -> None:
    assert [one for one in FeatureSet if not has_terms(KING_QUERY.board, one)] == [
        FeatureSet.ATTK,
        FeatureSet.DFNS,
        FeatureSet.RAY_ATTK,
    ]


def test_overlap_is_the_mean_share_of_common_games() -> None:
    results = {
        FeatureSet.ATTK: {"1": hits("abcd"), "2": hits("ab")},
        FeatureSet.DFNS: {"1": hits("dxyz"), "2": hits("ba"), "3": hits("a")},
        FeatureSet.RAY_ATTK: {"3": hits("a")},
    }
    # Query 1 shares one game of four, query 2 both; Attk and RayAttk answer no query that both have.
    assert overlaps(results) == {
        (FeatureSet.ATTK, FeatureSet.DFNS): (1 / 4 + 1) / 2,
        (FeatureSet.DFNS, FeatureSet.RAY_ATTK): 1.0,
    }


def test_measures_worked_out_by_hand() -> None:
    # Graded 4 0 1 in the order found, then one without a grade; a result with 2 was not found.
    grades = {"1": {"a:0": 4, "b:0": 0, "c:0": 1, "m:0": 2}}
    measured = measure({FeatureSet.ATTK: {"1": hits("abcd")}}, grades)[FeatureSet.ATTK]
    assert measured.p5 == pytest.approx(2 / 5)
    # Relevant at ranks 1 and 3, and three relevant ones in all.
    assert measured.map == pytest.approx((1 / 1 + 2 / 3) / 3)
    gained, best = 4 + 1 / log2(4), 4 + 2 / log2(3) + 1 / log2(4)
    assert measured.ndcg5 == measured.ndcg == pytest.approx(gained / best)
    assert (measured.ungraded, measured.shown) == (1, 4)


def test_measures_at_five_end_at_five() -> None:
    measured = measure({FeatureSet.ATTK: {"1": hits("abcdef")}}, {"1": {"f:0": 4}})[FeatureSet.ATTK]
    assert (measured.p5, measured.ndcg5) == (0, 0)
    assert measured.map == pytest.approx(1 / 6)
    assert measured.ndcg == pytest.approx(1 / log2(7))
    assert (measured.ungraded, measured.shown) == (5, 5)


def test_somewhat_relevant_is_relevant() -> None:
    assert measure({FeatureSet.ATTK: {"1": hits("a")}}, {"1": {"a:0": 1}})[FeatureSet.ATTK].map == 1


def test_equal_scores_are_measured_in_their_order() -> None:
    # Evaluation programs would otherwise put b first.
    tied = [found("a", 1.0), found("b", 1.0)]
    assert measure({FeatureSet.ATTK: {"1": tied}}, {"1": {"a:0": 1}})[FeatureSet.ATTK].map == 1


def test_a_graded_query_that_a_run_does_not_answer_counts_as_nothing() -> None:
    grades = {"1": {"a:0": 4}, "2": {"a:0": 4}}
    measured = measure({FeatureSet.ATTK: {"1": hits("a")}, FeatureSet.DFNS: {}}, grades)
    assert (measured[FeatureSet.ATTK].map, measured[FeatureSet.DFNS].map) == (0.5, 0)


def test_queries_without_grades_do_not_count() -> None:
    measured = measure({FeatureSet.ATTK: {"1": hits("a"), "2": hits("b")}}, {"1": {"a:0": 4}})[
        FeatureSet.ATTK
    ]
    assert measured.map == 1
    assert (measured.ungraded, measured.shown) == (0, 1)


def test_grades_of_other_queries_are_none(archived: Store) -> None:
    with pytest.raises(InputError, match="no result of these queries has a grade"):
        compare_runs(archived, [ROOK_QUERY], 5, {"9": {"rook:0": 4}})


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(LibraryMissingError, match=r"chess-motif\[evaluation\]"):
        measure({FeatureSet.ATTK: {"1": hits("a")}}, {"1": {"a:0": 1}})
