"""What is said about how close the results of a search are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from db.store import Store
from motifsearch.puzzles.query import PuzzleQuery, resolve
from motifsearch.puzzles.ranking import By
from motifsearch.puzzles.searcher import PuzzleHit, PuzzleSearcher
from motifsearch.terms import Mode
from motifsearch.views.puzzles import closeness_text, notices_of
from tests.helpers.sample_puzzles import id_of

QUIET = ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e4 e5 Nf3")


@pytest.fixture
def query(filled: Store) -> PuzzleQuery:
    return resolve(filled, id_of("fork"))


@pytest.fixture
def hit(filled: Store, query: PuzzleQuery) -> PuzzleHit:
    with PuzzleSearcher(filled) as searcher:
        return searcher.similar(query, k=1)[0]


def test_a_close_result(hit: PuzzleHit) -> None:
    assert closeness_text(replace(hit, closeness=0.724), By.COMBINED, Mode.DEFAULT) == "72 % alike"


def test_a_distant_result(hit: PuzzleHit) -> None:
    assert closeness_text(replace(hit, closeness=0.2), By.COMBINED, Mode.DEFAULT) == "20 % alike, not close"


@pytest.mark.parametrize(("by", "mode"), [(By.STATIC, Mode.DEFAULT), (By.COMBINED, Mode.PAPER)])
def test_where_no_level_is_known(hit: PuzzleHit, by: By, mode: Mode) -> None:
    assert closeness_text(replace(hit, closeness=0.2), by, mode) == "20 % alike"


def test_nothing_to_say_where_something_is_close(query: PuzzleQuery, hit: PuzzleHit) -> None:
    assert list(notices_of(query, [replace(hit, closeness=0.9)], By.COMBINED, Mode.DEFAULT)) == []


def test_nothing_is_close(query: PuzzleQuery, hit: PuzzleHit) -> None:
    (notice,) = notices_of(query, [replace(hit, closeness=0.2)], By.COMBINED, Mode.DEFAULT)
    assert notice == "Nothing close: the best result is 20 % alike, less than 35 %."


def test_nothing_is_found(query: PuzzleQuery) -> None:
    (notice,) = notices_of(query, [], By.COMBINED, Mode.DEFAULT)
    assert notice.startswith("No puzzle that passes the filters")


def test_a_line_without_a_tactic(filled: Store, hit: PuzzleHit) -> None:
    (notice,) = notices_of(resolve(filled, *QUIET), [replace(hit, closeness=0.9)], By.DYNAMIC, Mode.DEFAULT)
    assert notice.startswith("This line shows no tactic")


def test_a_position_needs_no_tactic(filled: Store, hit: PuzzleHit) -> None:
    assert (
        list(notices_of(resolve(filled, *QUIET), [replace(hit, closeness=0.9)], By.STATIC, Mode.DEFAULT))
        == []
    )
