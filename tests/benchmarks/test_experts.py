"""The experiments with experts: queries, pool, scores, and forms (made up) that are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.experts import (
    Answer,
    Scored,
    choose_page,
    different_puzzles,
    explain_page,
    majority,
    pool_of,
    read_form,
    score_pool,
)
from chess_motif.errors import InputError, TableError
from db.models import Puzzle
from db.store import Store
from motifsearch.puzzles.searcher import PuzzleSearcher
from motifsearch.terms.encoding import PAPER
from tests.helpers.browser import done_on_page
from tests.helpers.commands import Command, CommandOn
from tests.helpers.sample_puzzles import PUZZLES, put, row

# What the puzzles that become queries are tagged with; the others have no motif.
MOTIFS = {
    "back rank, two moves": "backRankMate",
    "greek gift": "sacrifice kingsideAttack",
    "fork": "fork",
    "black's fork": "skewer",
}


def puzzle(name: str, tags: str = "") -> Puzzle:
    return row(*PUZZLES[name], tags=tags)


QUERIES = [puzzle(name, tags) for name, tags in MOTIFS.items()]
OTHERS = {puzzle(name).id for name in PUZZLES if name not in MOTIFS}


@pytest.fixture
def puzzles(sqlite_store: Store) -> Store:
    put(sqlite_store, *(puzzle(name, MOTIFS.get(name, "")) for name in PUZZLES))
    return sqlite_store


@pytest.fixture
def experts(puzzles: Store, command_on: CommandOn) -> Command:
    return command_on(puzzles, "benchmarks.experts", "--queries", "4")


def scored(combined: dict[str, float], dynamic: dict[str, float]) -> Scored:
    return Scored(QUERIES[0], combined, dynamic)


def test_queries_have_motifs_that_no_other_has() -> None:
    tagged = [puzzle("fork", tags) for tags in ("endgame", "fork pin", "pin", "skewer endgame", "skewer pin")]
    assert different_puzzles(tagged, 2) == [tagged[1], tagged[3]]
    with pytest.raises(InputError, match="only 2"):
        different_puzzles(tagged, 3)


def test_queries_have_several_moves() -> None:
    tagged = [puzzle("back rank", "backRankMate"), puzzle("fork", "fork")]
    assert different_puzzles(tagged, 1) == tagged[1:]


def test_the_pool_has_the_puzzles_most_like_the_queries_but_no_query(puzzles: Store) -> None:
    with PuzzleSearcher(puzzles, PAPER) as searcher:
        pool = pool_of(searcher, QUERIES)
    assert pool
    assert pool.keys() <= OTHERS


def test_scores_are_those_of_a_search(puzzles: Store) -> None:
    with PuzzleSearcher(puzzles, PAPER) as searcher:
        hits = {hit.puzzle.id: hit for hit in searcher.similar(QUERIES[0].id)}
        found = score_pool(searcher, QUERIES[0], list(hits))
    assert found.combined == pytest.approx({name: hit.score for name, hit in hits.items()})
    assert found.dynamic == pytest.approx({name: hit.dynamic for name, hit in hits.items()})
    best = hits[found.best]
    assert best.rank == 1
    assert found.dynamic_share(found.best) == pytest.approx(best.dynamic / best.score)


def test_the_rank_by_the_dynamic_score_is_given_for_all_but_the_best() -> None:
    pool = scored({"a": 9.0, "b": 8.0, "c": 7.0}, {"a": 1.0, "b": 5.0, "c": 4.0})
    assert [pool.rank(name) for name in "abc"] == ["1", "2 (1)", "3 (2)"]


def test_the_majority_is_more_than_half_of_those_who_chose() -> None:
    choices = {"one": {"q": "a", "r": "a"}, "two": {"q": "a", "r": "b"}, "three": {"q": "b"}}
    assert majority(choices, "q") == "a"
    assert majority(choices, "r") is None


def test_the_command_reads_forms(experts: Command, tmp_path: Path) -> None:
    table = json.loads(experts("--json").out)["table"]
    first = table[0]["query"]
    chosen = sorted(OTHERS)[0]
    (tmp_path / "anna.csv").write_text(f"query,puzzle\n{first},{chosen}\n")
    (tmp_path / "why.csv").write_text(f"query,puzzle,explanation\n{first},{chosen},mate\n{first},x,\n")
    read = json.loads(experts(str(tmp_path / "anna.csv"), str(tmp_path / "why.csv"), "--json").out)
    assert float(read["table"][0]["anna: score"]) <= float(read["table"][0]["top score"])
    assert read["table"][1]["anna: rank"] == "–"
    assert len(read["majority_dynamic_shares"]) == 1
    assert read["explained"] == {"why": [1, 2]}


def test_a_form_for_other_puzzles(experts: Command, tmp_path: Path) -> None:
    (tmp_path / "form.csv").write_text("query,puzzle\nabc,def\n")
    failed = experts(str(tmp_path / "form.csv"))
    assert failed.status == 1
    assert "not for these queries" in failed.err


def test_a_damaged_form(tmp_path: Path) -> None:
    (tmp_path / "form.csv").write_text("query,puzzle\nabc\n")
    with pytest.raises(TableError, match="line 2"):
        read_form(tmp_path / "form.csv")


def test_the_columns_of_a_form_may_be_in_any_case(tmp_path: Path) -> None:
    (tmp_path / "form.csv").write_text("Query,Puzzle,Explanation\na,b,both mate\n")
    assert read_form(tmp_path / "form.csv") == [Answer("a", "b", "both mate")]


def test_the_pages_hide_scores_and_motifs(experts: Command, tmp_path: Path) -> None:
    assert experts("--forms", str(tmp_path)).status == 0
    for name in ("choose.html", "explain.html"):
        page = (tmp_path / name).read_text(encoding="utf-8")
        assert "<svg" in page
        assert "backRankMate" not in page


def test_the_number_that_an_expert_writes_is_saved_as_the_puzzle(tmp_path: Path) -> None:
    pool = [puzzle("smothered"), puzzle("scholar's mate")]
    script = 'document.querySelector("input").value = "2"; tell(form());'
    (tmp_path / "form.csv").write_text(done_on_page(choose_page(QUERIES, pool), script, tmp_path))
    assert read_form(tmp_path / "form.csv") == [Answer(QUERIES[0].id, pool[1].id, None)]


def test_explanations_are_saved_where_there_are_none_too(tmp_path: Path) -> None:
    found = [puzzle("smothered"), puzzle("scholar's mate")]
    script = 'document.querySelector("input").value = " both \\"mate\\", quickly "; tell(form());'
    (tmp_path / "form.csv").write_text(done_on_page(explain_page([(QUERIES[0], found)]), script, tmp_path))
    assert [answer.explanation for answer in read_form(tmp_path / "form.csv")] == ['both "mate", quickly', ""]


def test_the_dynamic_share_is_larger_where_static_terms_are_left_out(experts: Command) -> None:
    report = json.loads(experts("--json").out)
    without = report["dynamic_shares_without"]["connectivity (these three)"]
    assert all(less > more for less, more in zip(without, report["dynamic_shares"], strict=True))
