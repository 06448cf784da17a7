"""The accuracy on pairs as text and as a page."""

from __future__ import annotations

from motifsearch.puzzles.pairs import Pair, PairFile, measure_pairs
from motifsearch.views.pairs import pairs_page, pairs_text
from tests.helpers.sample_pairs import GOOD, MOVED, OTHER


def test_the_page_has_the_figures_of_moved_pairs() -> None:
    generated, course = (pairs_page(measure_pairs(PairFile(pairs))) for pairs in ([GOOD, MOVED], [GOOD]))
    assert "Of these, 1 in which the simplified puzzle was moved on the board" in generated
    assert "published" not in generated
    assert "was moved" not in course


def test_the_page_shows_both_boards_of_every_pair_and_escapes_names() -> None:
    evil = Pair("<script>alert(1)</script>", OTHER.base, OTHER.simplified)
    page = pairs_page(measure_pairs(PairFile([GOOD, evil])))
    assert page.count('class="board') == 4
    assert "<script" not in page


def test_figures_of_generated_pairs_are_not_shown_with_those_of_the_course() -> None:
    generated, course = (pairs_text(measure_pairs(PairFile(pairs))) for pairs in ([GOOD, MOVED], [GOOD]))
    assert "2 generated pairs among 2 positions" in generated
    assert "Of these, 1 in which the simplified puzzle was moved on the board" in generated
    assert "not the pairs of the CT-ART course" in " ".join(generated.split())
    assert "published" not in generated
    assert "published" in course
    assert "was moved" not in course
