"""Pages that commands write, in a real browser: their policy allows what they need, and nothing else."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import pytest
from playwright.sync_api import Browser

from motifsearch.positions.searcher import PositionQuery
from motifsearch.positions.terms import FeatureSet
from motifsearch.puzzles.pair_files import PairFile
from motifsearch.puzzles.pairs import measure_pairs
from motifsearch.puzzles.searcher import PuzzleHit
from motifsearch.search import By, PuzzleQuery
from motifsearch.show.pairs import pairs_page
from motifsearch.show.positions import PositionSearch, positions_page
from motifsearch.show.similar import PuzzleSearch, similar_page
from motifsearch.terms.weights import DEFAULT
from puzzlegen.difficulty.attributes import TreeAttributes
from puzzlegen.difficulty.tree import meaningful_tree
from puzzlegen.difficulty.views import tree_page
from puzzlegen.formats import solving_page
from tests.helpers.archived_games import ROOKS, found
from tests.helpers.browser import opened_browser
from tests.helpers.paths import ROOT
from tests.helpers.sample_pairs import GOOD
from tests.helpers.sample_puzzles import PUZZLES, row
from tests.helpers.scripted_engine import ScriptedEngine

FORK = row(*PUZZLES["fork"])


def similar() -> str:
    query = PuzzleQuery.of(FORK)
    return similar_page(PuzzleSearch(query, By.COMBINED, DEFAULT, [PuzzleHit(1, 1, 1, 0.5, FORK)], why=True))


def positions() -> str:
    query = PositionQuery(chess.Board(ROOKS))
    return positions_page(PositionSearch(query, FeatureSet.COMB_ALL, [found("a", 3.0)]))


def tree() -> str:
    engine = ScriptedEngine({ROOKS: {"a1a8": "#1"}})
    return tree_page("a", TreeAttributes(meaningful_tree(chess.Board(ROOKS), engine)), [])


def solving() -> str:
    out = io.StringIO()
    solving_page.write(out, [FORK], "Homework", "")
    return out.getvalue()


# By the name of the template.
PAGES: dict[str, Callable[[], str]] = {
    "similar": similar,
    "positions": positions,
    "pairs": lambda: pairs_page(measure_pairs(PairFile([GOOD]))),
    "tree": tree,
    "solving": solving,
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with opened_browser() as opened:
        yield opened


def complaints(browser: Browser, page: str, tmp_path: Path) -> list[str]:
    """Return what the browser says when it opens a page."""
    file = tmp_path / "page.html"
    file.write_text(page, encoding="utf-8")
    opened = browser.new_page()
    said: list[str] = []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.goto(file.as_uri())
    opened.close()
    return said


def test_every_page_is_opened_here() -> None:
    templates = (file for folder in ("puzzlegen", "motifsearch") for file in (ROOT / folder).rglob("*.html"))
    base = '{% extends "chess_motif/pages/base.html" %}'
    assert {file.stem for file in templates if base in file.read_text(encoding="utf-8")} == set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_the_browser_has_nothing_to_refuse(browser: Browser, tmp_path: Path, name: str) -> None:
    assert complaints(browser, PAGES[name](), tmp_path) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_script_that_is_not_the_page_s_own_is_refused(browser: Browser, tmp_path: Path, name: str) -> None:
    page = PAGES[name]().replace("</main>", "<script>alert(1)</script></main>")
    (complaint,) = complaints(browser, page, tmp_path)
    assert "script" in complaint


def test_a_picture_from_elsewhere_is_refused(browser: Browser, tmp_path: Path) -> None:
    page = solving().replace("</main>", '<img src="https://example.org/a.png"></main>')
    (complaint,) = complaints(browser, page, tmp_path)
    assert "https://example.org/a.png" in complaint
