"""Queries, results and grades in files, what a person grades, and the page in a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import chess
import ir_measures
import pytest

from benchmarks import grading
from benchmarks.grading import (
    Grades,
    document_id,
    falling_scores,
    grading_page,
    grading_task,
    pool,
    read_qrels,
    read_queries,
    run_lines,
    write_runs,
)
from chess_motif.errors import InputError
from motifsearch.positions.terms import FeatureSet
from tests.helpers.archived_games import KINGS, QUEENS, ROOKS, found
from tests.helpers.browser import done_on_page
from tests.helpers.results_to_grade import QUERIES, RESULTS


def test_blank_lines_and_comments_are_no_queries(tmp_path: Path) -> None:
    file = tmp_path / "queries.fen"
    file.write_text(f"# two\n\n{ROOKS}\n  \n# more\n{KINGS}\n")
    read = read_queries(file)
    assert [(query.id, query.board.fen()) for query in read.queries] == [("1", ROOKS), ("2", KINGS)]
    assert read.skipped == []


def test_a_bad_line_is_reported_and_leaves_the_numbers_of_the_others(tmp_path: Path) -> None:
    file = tmp_path / "queries.fen"
    file.write_text(f"# first\n{ROOKS}\nnonsense\n{KINGS}\n")
    read = read_queries(file)
    assert [query.id for query in read.queries] == ["1", "3"]
    assert [skipped.place for skipped in read.skipped] == ["line 3"]
    assert read.skipped[0].reason.startswith("not a FEN")


@pytest.mark.parametrize("text", ["", "# nothing\n", "nonsense\n"])
def test_a_file_without_a_position(tmp_path: Path, text: str) -> None:
    file = tmp_path / "queries.fen"
    file.write_text(text)
    with pytest.raises(InputError, match="no usable position"):
        read_queries(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_queries(tmp_path / "none.fen")


def test_a_document_is_named_by_game_and_ply() -> None:
    assert document_id(found("0123456789abcdef", 1.0, ply=41)) == "0123456789abcdef:41"


def test_lines_of_a_run() -> None:
    results = {"1": [found("b", 12.5, ply=3), found("a", 7.125)], "4": [found("a", 2.0)]}
    assert "".join(run_lines(FeatureSet.COMB_ALL, results)) == (
        "1 Q0 b:3 1 12.5000 CombAll\n1 Q0 a:0 2 7.1250 CombAll\n4 Q0 a:0 1 2.0000 CombAll\n"
    )


def test_equal_scores_keep_their_order() -> None:
    scores = falling_scores(
        [found(key, score) for key, score in zip("abcd", (2.0, 2.0, 2.0, 1.999), strict=True)]
    )
    assert scores == {"a:0": 2.0, "b:0": 1.9999, "c:0": 1.9998, "d:0": 1.999}


def test_an_evaluation_program_reads_the_runs(tmp_path: Path) -> None:
    hits = [found("b", 2.0), found("a", 2.0)]
    files = write_runs(tmp_path / "new" / "runs", {FeatureSet.ATTK: {"1": hits}, FeatureSet.DFNS: {}})
    assert [file.name for file in files] == ["Attk.run", "Dfns.run"]
    read = [(one.query_id, one.doc_id, one.score) for one in ir_measures.read_trec_run(str(files[0]))]
    assert read == [("1", name, score) for name, score in falling_scores(hits).items()]
    assert files[1].read_text() == ""


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be created"):
        write_runs(tmp_path / "file" / "runs", {})


def test_grades_are_read(tmp_path: Path) -> None:
    file = tmp_path / "qrels.txt"
    file.write_text("1 0 a:0 4\n1 0 b:3 0\n\n2\t0\ta:0\t1\n1 0 b:3 2\n")
    assert read_qrels(file).grades == {"1": {"a:0": 4, "b:3": 2}, "2": {"a:0": 1}}


@pytest.mark.parametrize("line", ["1 0 a:0", "1 0 a:0 2 more", "1 0 a:0 5", "1 0 a:0 -1", "1 0 a:0 two"])
def test_a_bad_grade_is_reported_and_the_others_are_read(tmp_path: Path, line: str) -> None:
    file = tmp_path / "qrels.txt"
    file.write_text(f"1 0 a:0 4\n{line}\n1 0 b:0 3\n")
    read = read_qrels(file)
    assert read.grades == {"1": {"a:0": 4, "b:0": 3}}
    assert [skipped.place for skipped in read.skipped] == ["line 2"]


def test_grades_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_qrels(tmp_path / "none.txt")


def kings(place: int) -> str:
    """Return one position after the other in which no two are the same."""
    return f"6k1/8/8/8/8/8/8/{place}K{7 - place} w - - 0 1".replace("0K", "K").replace("K0", "K")


def test_each_position_is_graded_once_for_all_games_that_reached_it() -> None:
    pooled = {one.placement: one.documents for one in pool(RESULTS, "1")}
    assert pooled == {ROOKS.split()[0]: ("a:0", "c:0"), QUEENS.split()[0]: ("b:0",)}


def test_the_pool_has_the_highest_normalised_scores_of_all_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "POOLED", 4)
    results = {
        # Normalised: 1, .9, .5, .4.
        FeatureSet.ATTK: {"1": [found("a", 100), found("b", 90), found("c", 50), found("d", 40)]},
        # Normalised: 1, .8, .6: less than those of c and d before that, more afterwards.
        FeatureSet.DFNS: {"1": [found("e", 10), found("d", 8), found("f", 6)]},
    }
    [pooled] = pool(results, "1")
    assert pooled.documents == ("a:0", "b:0", "d:0", "e:0")


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
        grading_task(QUERIES, {FeatureSet.ATTK: {"1": [], "3": []}})


def test_other_queries_are_kept_under_another_name() -> None:
    assert grading_task(QUERIES, RESULTS)["key"] != grading_task(QUERIES[:1], RESULTS)["key"]


EVIL = "</script><script>document.title = 'evil'</script>\"'&<b>"


def test_nothing_from_a_file_becomes_markup() -> None:
    game = found("a", 1.0, white=EVIL)
    page = grading_page(grading_task(QUERIES[:1], {FeatureSet.ATTK: {"1": [game]}}, {EVIL: {EVIL: 1}}))
    assert page.count("<script") == page.count("</script>") == 2
    assert EVIL not in page
    task = re.search(r'<script type="application/json" id="task">(.*?)</script>', page, re.DOTALL)
    assert task is not None
    assert EVIL in json.loads(task[1])["queries"][0]["pool"][0]["caption"]


def test_nothing_is_loaded_from_elsewhere() -> None:
    page = grading_page(grading_task(QUERIES, RESULTS))
    assert "<link" not in page
    assert " src=" not in page
    assert "://" not in page.replace("http://www.w3.org/2000/svg", "")


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
        queries = [query for query in QUERIES if query.id in results[FeatureSet.ATTK]]
        page = grading_page(grading_task(queries, results, grades))
        return done_on_page(page, f"{HELPERS} {doing}", tmp_path)

    return run


def test_grades_are_saved_as_qrels(browse: Any, tmp_path: Path) -> None:
    names = {
        FeatureSet.ATTK: {
            "1": [found("a", 3.0, white="Anna"), found("b", 2.0, start=QUEENS, white="Berta")],
            "3": [],
        },
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


def test_the_grades_of_the_repository_are_those_of_the_pools_of_its_queries() -> None:
    folder = Path(grading.__file__).parent / "positions"
    grades = read_qrels(folder / "qrels.txt")
    assert not grades.skipped
    ids = {query.id for query in read_queries(folder / "queries.fen").queries}
    assert {query: len(graded) for query, graded in grades.grades.items()} == dict.fromkeys(ids, 200)
