"""The page on which a person grades results, in a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import chess
import pytest

from benchmarks.grading import Grades, grading_page, grading_task, read_qrels
from motifsearch.positions.terms import FeatureSet
from tests.helpers.archived_games import KINGS, QUEENS, ROOKS, found
from tests.helpers.browser import done_on_page
from tests.helpers.results_to_grade import QUERIES, RESULTS

EVIL = "</script><script>document.title = 'evil'</script>\"'&<b>"


def test_nothing_from_a_file_becomes_markup() -> None:
    game = found("a", 1.0, white=EVIL)
    page = grading_page(grading_task(QUERIES, {FeatureSet.ATTK: {"1": [game]}}, {EVIL: {EVIL: 1}}))
    assert page.count("<script") == page.count("</script>") == 2
    assert EVIL not in page
    task = re.search(r'<script type="application/json" id="task">(.*?)</script>', page, re.DOTALL)
    assert task is not None
    assert EVIL in json.loads(task[1])["queries"][0]["pool"][0]["caption"]


def test_nothing_is_loaded_from_elsewhere() -> None:
    page = grading_page(grading_task(QUERIES, RESULTS))
    assert "<link" not in page
    assert " src=" not in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")


# What a person does on the page, and what the page then has to show.
HELPERS = """
const key = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const text = (id) => document.getElementById(id).textContent;
const current = () => document.querySelector(".result[aria-current='true'] p").textContent;
const pressed = () => [...document.querySelectorAll("[aria-pressed='true']")].map((one) => one.dataset.grade);
const card = (name) => [...document.querySelectorAll(".result")].find((it) => it.textContent.includes(name));
const press = (name, grade) => card(name).querySelector(`[data-grade='${grade}']`).click();
const query = (id) => document.querySelector(`[data-query='${id}']`).click();
// A browser that leaves amid a download may hang, so that the last step is not taken.
const saved = () => new Promise((resolve) => {
  let saving;
  URL.createObjectURL = (blob) => { saving = blob; return "blob:it"; };
  HTMLAnchorElement.prototype.click = function () {
    if (this.href === "blob:it" && this.download === "qrels.txt") resolve(saving.text());
  };
  document.getElementById("save").click();
});
"""


@pytest.fixture
def browse(tmp_path: Path) -> Any:
    """Return a function that opens a page, does something on it, and returns what that says."""

    def run(doing: str, results: Any = RESULTS, grades: Grades | None = None) -> Any:
        page = grading_page(grading_task(QUERIES, results, grades))
        return done_on_page(page, f"{HELPERS} {doing}", tmp_path)

    return run


def test_grades_are_saved_as_qrels(browse: Any, tmp_path: Path) -> None:
    names = {
        FeatureSet.ATTK: {"1": [found("a", 3.0, white="Anna"), found("b", 2.0, start=QUEENS, white="Berta")]},
        FeatureSet.DFNS: {"1": [found("c", 1.0, white="Clara")], "3": [found("d", 1.0, start=KINGS)]},
    }
    doing = "press('Anna', 4); press('Berta', 1); press('Berta', 0); tell([await saved(), text('count')]);"
    qrels, count = browse(doing, names)
    assert qrels == "1 0 a:0 4\n1 0 b:0 0\n1 0 c:0 4\n"
    assert count == "2 of 3 graded"
    file = tmp_path / "qrels.txt"
    file.write_text(qrels)
    assert read_qrels(file).grades == {"1": {"a:0": 4, "b:0": 0, "c:0": 4}}


def test_keys_grade_and_go_on_to_the_next_query(browse: Any) -> None:
    titles, count, qrels = browse(
        "const titles = [text('title')];"
        "for (const grade of ['3', '3', '0']) { key(grade); titles.push(text('title')); }"
        "tell([titles, text('count'), await saved()]);"
    )
    assert titles == ["Query 1", "Query 1", "Query 3", "Query 3"]
    assert count == "3 of 3 graded"
    assert qrels == "1 0 a:0 3\n1 0 b:0 3\n1 0 c:0 3\n3 0 d:0 0\n"


def test_arrows_go_on_and_back_without_grading(browse: Any) -> None:
    first, second, back, before = browse(
        "const at = [current()]; for (const one of ['ArrowRight', 'ArrowLeft', 'ArrowLeft'])"
        "{ key(one); at.push(current()); } tell(at);",
        {
            FeatureSet.ATTK: {
                "1": [found("a", 3.0, white="Anna"), found("b", 2.0, start=QUEENS, white="Berta")]
            }
        },
    )
    assert first != second
    assert first == back == before


def test_other_keys_do_nothing(browse: Any) -> None:
    assert browse("key('5'); key('x'); tell([text('count'), pressed()]);") == ["0 of 3 graded", []]


def test_grades_are_there_after_the_page_was_left(browse: Any) -> None:
    again = "if (location.hash) tell([text('count'), pressed()]);"
    doing = f"{again} else {{ query('3'); key('2'); location.hash = 'again'; location.reload(); }}"
    # The page begins with what is not graded yet, which is query 1.
    assert browse(doing) == ["1 of 3 graded", []]


def test_grades_handed_in_are_shown_and_saved_again(browse: Any) -> None:
    earlier = {"1": {"c:0": 3, "gone:7": 2}, "9": {"x:0": 1}}
    count, grades, qrels = browse("tell([text('count'), pressed(), await saved()]);", RESULTS, earlier)
    assert (count, grades) == ("1 of 3 graded", ["3"])
    assert qrels == "1 0 a:0 3\n1 0 c:0 3\n1 0 gone:7 2\n9 0 x:0 1\n"


def test_a_newer_grade_replaces_one_handed_in(browse: Any) -> None:
    qrels = browse("query('3'); key('0'); tell(await saved());", RESULTS, {"3": {"d:0": 4}})
    assert qrels == "3 0 d:0 0\n"


def test_boards_show_the_pieces_of_the_position(browse: Any) -> None:
    pieces = browse(
        "const uses = [...document.querySelectorAll('#query use')].slice(1);"
        "const place = (use, name) => use.getAttribute(name) / 45;"
        "tell(uses.map((use) => [use.getAttribute('href'), place(use, 'x'), place(use, 'y')]));"
    )
    expected = [
        [
            f"#{'white' if piece.color else 'black'}-{chess.piece_name(piece.piece_type)}",
            square % 8,
            7 - square // 8,
        ]
        for square, piece in chess.Board(ROOKS).piece_map().items()
    ]
    assert sorted(pieces) == sorted(expected)


def test_markup_in_a_name_is_shown_as_it_is(browse: Any) -> None:
    results = {FeatureSet.ATTK: {"1": [found("a", 1.0, white=EVIL)]}}
    assert browse("tell([current(), document.title]);", results) == [
        f"{EVIL} – ?, move 1",
        "Grade similar positions",
    ]
