"""Reports as text."""

from __future__ import annotations

import pytest

from db.store import Store
from motifsearch.evaluation.comparison import compare_runs
from motifsearch.evaluation.pair_accuracy import measure
from motifsearch.evaluation.pairs import PairFile
from motifsearch.views.reports.text import pairs_text, runs_text
from tests.helpers.archived_games import GAMES, KING_QUERY, QUEEN_QUERY, ROOK_QUERY, archive
from tests.helpers.sample_pairs import GOOD, MOVED


@pytest.fixture
def archived(sqlite_store: Store) -> Store:
    archive(sqlite_store, *GAMES)
    return sqlite_store


def test_figures_of_generated_pairs_are_not_shown_with_those_of_the_course() -> None:
    generated, course = (pairs_text(measure(PairFile(pairs))) for pairs in ([GOOD, MOVED], [GOOD]))
    assert "2 generated pairs among 2 positions" in generated
    assert "Of these, 1 in which the simplified puzzle was moved on the board" in generated
    assert "not the pairs of the CT-ART course" in " ".join(generated.split())
    assert "published" not in generated
    assert "published" in course
    assert "was moved" not in course


def test_without_grades_overlaps_are_shown(archived: Store) -> None:
    text = runs_text(compare_runs(archived, [QUEEN_QUERY, KING_QUERY], 3))
    assert "2 queries, the best 3 of each run" in text
    assert "CombNoRay 1.00" in " ".join(text.split())
    assert "Queries without a term of RayAttk, which count as having no results: 3" in text


def test_with_grades_measures_are_shown_with_what_is_ungraded(archived: Store) -> None:
    text = runs_text(compare_runs(archived, [ROOK_QUERY, KING_QUERY], 3, {"1": {"rook:0": 4}}))
    assert "1 of the queries are graded" in text
    assert "TruePos 0.200 1.000 1.000 1.000 2 of 3" in " ".join(text.split())
