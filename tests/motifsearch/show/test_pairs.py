"""The accuracy on pairs as text and as a page."""

from __future__ import annotations

from motifsearch.puzzles.pair_files import Pair, PairFile, Skipped
from motifsearch.puzzles.pairs import measure_pairs
from motifsearch.show.pairs import check_text, pairs_page, pairs_text
from tests.helpers.sample_pairs import GOOD, MOVED, OTHER


def test_the_page_has_the_figures_of_moved_pairs() -> None:
    generated, course = (pairs_page(measure_pairs(PairFile(pairs))) for pairs in ([GOOD, MOVED], [GOOD]))
    assert "Of these, 1 in which the simplified puzzle was moved on the board" in generated
    assert "was moved" not in course


def test_the_page_shows_both_boards_of_every_pair_and_escapes_names() -> None:
    evil = Pair("<script>alert(1)</script>", OTHER.base, OTHER.simplified)
    page = pairs_page(measure_pairs(PairFile([GOOD, evil])))
    assert page.count('class="board') == 4
    assert "Found instead" not in page
    assert "<script" not in page


def test_what_was_found_instead_of_a_partner_is_shown() -> None:
    swapped = [Pair("a", GOOD.base, OTHER.simplified), Pair("b", OTHER.base, GOOD.simplified)]
    page = pairs_page(measure_pairs(PairFile(swapped)))
    assert page.count("Found instead") == 2
    assert page.count('class="board') == 6


def test_the_table_has_the_figures_of_the_paper_and_is_not_too_wide() -> None:
    text = pairs_text(measure_pairs(PairFile([GOOD, OTHER])))
    rows = [line.split() for line in text.splitlines() if line.startswith("dynamic")]
    assert rows == [["dynamic", *["1", ".34–1", ".418", "1", ".34–1", ".652", "1", ".34–1", ".761"]]] * 2
    assert max(map(len, text.splitlines())) <= 80


def test_a_file_is_listed_with_what_is_left_over() -> None:
    text = check_text(PairFile([GOOD], [Skipped("game 3", "has no partner")]))
    assert "game 3: has no partner" in text
    assert "pieces, " in text


def test_figures_of_generated_pairs_are_not_compared_with_those_of_the_course() -> None:
    generated, course = (pairs_text(measure_pairs(PairFile(pairs))) for pairs in ([GOOD, MOVED], [GOOD]))
    assert "2 generated pairs among 2 positions" in generated
    assert "Of these, 1 in which the simplified puzzle was moved on the board" in generated
    assert "not the pairs of the CT-ART course" in " ".join(generated.split())
    assert "was moved" not in course
