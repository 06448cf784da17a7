"""The page of a pair report."""

from __future__ import annotations

from motifsearch.evaluation.pair_accuracy import measure
from motifsearch.evaluation.pairs import Pair, PairFile
from motifsearch.views.reports.page import pairs_page
from tests.helpers.sample_pairs import GOOD, MOVED, OTHER


def test_the_page_has_the_figures_of_moved_pairs() -> None:
    generated, course = (pairs_page(measure(PairFile(pairs))) for pairs in ([GOOD, MOVED], [GOOD]))
    assert "Of these, 1 in which the simplified puzzle was moved on the board" in generated
    assert "published" not in generated
    assert "was moved" not in course


def test_the_page_shows_both_boards_of_every_pair_and_escapes_names() -> None:
    evil = Pair("<script>alert(1)</script>", OTHER.base, OTHER.simplified)
    page = pairs_page(measure(PairFile([GOOD, evil])))
    assert page.count("<svg") == 4
    assert "<script" not in page
