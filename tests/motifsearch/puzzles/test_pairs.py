"""Pairs: ranks of hand-made pairs are known."""

from __future__ import annotations

from itertools import pairwise

import pytest

from chess_motif.errors import TableError
from motifsearch.puzzles.pair_files import Pair, PairFile, Skipped
from motifsearch.puzzles.pairs import measure_pairs
from motifsearch.search import By
from tests.helpers.sample_pairs import GOOD, MOVED, OTHER, line_of, solution_line

# Its query is nothing like its partner, and exactly like another pair's.
MISS = Pair("miss", solution_line("fork"), line_of("8/8/4k3/8/8/2q5/8/K7 b - - 0 1", "e6f6"))


def ranks(*pairs: Pair, by: By = By.COMBINED, mode: str = "default") -> list[int]:
    return [each.ranks[mode][by] for each in measure_pairs(PairFile([*pairs])).pairs]


def test_partners_that_are_the_same_are_first() -> None:
    assert ranks(GOOD, OTHER) == [1, 1]


def test_a_partner_behind_another_document() -> None:
    swapped = [Pair("a", solution_line("fork"), OTHER.base), Pair("b", solution_line("smothered"), GOOD.base)]
    assert ranks(*swapped) == [2, 2]


def test_a_partner_that_shares_no_term_is_last() -> None:
    assert ranks(GOOD, MISS, OTHER, by=By.DYNAMIC, mode="paper") == [1, 3, 1]


def test_ties_count_against() -> None:
    twin = Pair("twin", GOOD.base, GOOD.simplified)
    assert ranks(GOOD, twin, OTHER) == [2, 2, 1]


def test_shares_and_mean_reciprocal_rank() -> None:
    found = measure_pairs(PairFile([GOOD, MISS, OTHER])).accuracy("paper", By.DYNAMIC)
    assert (found.top1, found.top5, found.top10) == pytest.approx((2 / 3, 1, 1))
    assert found.mrr == pytest.approx((1 + 1 / 3 + 1) / 3)


def test_the_worst_pair_is_listed_first() -> None:
    report = measure_pairs(PairFile([GOOD, MISS, OTHER]))
    assert [each.pair.id for each in report.worst_first()] == ["miss", "good", "other"]


def test_the_document_has_figures_ranks_and_what_was_skipped() -> None:
    document = measure_pairs(PairFile([GOOD, OTHER], [Skipped("line 9", "bad")])).as_dict()
    assert document["accuracy"]["paper"]["static"]["top1"] == 1
    assert document["paper"]["all"] == {"top1": 0.481, "top5": 0.736, "top10": 0.814}
    assert document["ranks"][0]["default"] == {"static": 1, "dynamic": 1, "all": 1}
    assert document["skipped"] == [{"place": "line 9", "reason": "bad"}]


def test_moved_pairs_have_figures_of_their_own() -> None:
    report = measure_pairs(PairFile([GOOD, MISS, MOVED]))
    assert report.accuracy("default", By.DYNAMIC, moved=True).top1 == 1
    assert report.accuracy("default", By.DYNAMIC).top1 == pytest.approx(2 / 3)
    document = report.as_dict()
    assert document["moved_pairs"] == 1
    assert {rank["pair_id"]: (rank["removed"], rank["moved"]) for rank in document["ranks"]} == {
        "good": (None, False),
        "miss": (None, False),
        "other": (2, True),
    }
    assert document["moved_accuracy"]["default"]["dynamic"]["top1"] == 1


def test_other_positions_stand_before_a_partner_that_is_less_like_the_query() -> None:
    others = [GOOD.base, GOOD.base, OTHER.base]
    report = measure_pairs(PairFile([Pair("a", GOOD.base, solution_line("smothered"))]), others)
    assert report.documents == 4
    assert [each.rank for each in report.pairs] == [4]


def test_without_pairs_there_is_nothing_to_measure() -> None:
    with pytest.raises(TableError, match="line 2: bad"):
        measure_pairs(PairFile([], [Skipped("line 2", "bad")]))


def test_what_is_found_instead_of_a_partner_is_told() -> None:
    report = measure_pairs(PairFile([GOOD, MISS, OTHER]))
    assert [each.instead for each in report.pairs] == [GOOD.simplified, GOOD.simplified, OTHER.simplified]


def test_figures_have_intervals() -> None:
    document = measure_pairs(PairFile([GOOD, OTHER])).as_dict()
    assert document["accuracy"]["default"]["all"]["intervals"][0] == pytest.approx([0.342, 1.0], abs=0.001)


def test_an_order_that_is_wrong_by_one_is_noticed() -> None:
    lines = [solution_line(name) for name in ("fork", "smothered", "back rank", "back rank, two moves")]
    right = [Pair(str(number), line, line) for number, line in enumerate(lines)]
    wrong = [Pair(str(number), *lines) for number, lines in enumerate(pairwise(lines))]
    assert not any("order wrong" in note for note in measure_pairs(PairFile(right)).notes)
    assert any("before their own first" in note for note in measure_pairs(PairFile(wrong)).notes)
