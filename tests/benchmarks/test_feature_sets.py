"""Feature sets compared, and the command."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from math import log2
from pathlib import Path

import chess
import pytest

from benchmarks.feature_sets import (
    compare_feature_sets,
    feature_sets_text,
    measure_results,
    overlaps,
    retrieve,
)
from benchmarks.grading import NumberedPosition, Results, document_id
from chess_motif.errors import InputError, LibraryMissingError
from db.store import Store
from motifsearch.positions.searcher import PositionHit, PositionSearcher
from motifsearch.positions.terms import FeatureSet
from tests.helpers.archived_games import (
    GAMES,
    KING_QUERY,
    KINGS,
    QUEEN_QUERY,
    ROOK_QUERY,
    ROOKS,
    archive,
    found,
)
from tests.helpers.commands import Command, CommandOn


@pytest.fixture
def archived(sqlite_store: Store) -> Store:
    archive(sqlite_store, *GAMES)
    return sqlite_store


def search(store: Store, queries: Sequence[NumberedPosition], k: int) -> Results:
    with PositionSearcher(store) as searcher:
        return retrieve(searcher, queries, k)


def hits(keys: str) -> list[PositionHit]:
    return [found(key, 10.0 - place) for place, key in enumerate(keys)]


def test_every_feature_set_answers_every_query(archived: Store) -> None:
    results = search(archived, [QUEEN_QUERY, KING_QUERY], 10)
    assert [(one, [len(hits) for hits in found.values()]) for one, found in results.items()] == [
        (one, [3, 3]) for one in FeatureSet
    ]


def test_the_query_itself_is_found_first_and_its_game_once(archived: Store) -> None:
    results = search(archived, [ROOK_QUERY], 10)[FeatureSet.COMB_ALL]["1"]
    documents = [document_id(one) for one in results]
    assert documents[0] == "rook:0"
    assert len({document.split(":")[0] for document in documents}) == len(documents)


def test_a_run_is_as_deep_as_asked(archived: Store) -> None:
    assert len(search(archived, [ROOK_QUERY], 2)[FeatureSet.TRUE_POS]["1"]) == 2


def test_overlap_is_the_mean_share_of_common_games() -> None:
    results = {
        FeatureSet.ATTK: {"1": hits("abcd"), "2": hits("ab")},
        FeatureSet.DFNS: {"1": hits("dxyz"), "2": hits("ba")},
    }
    # Query 1 shares one game of four, query 2 both.
    assert overlaps(results) == {(FeatureSet.ATTK, FeatureSet.DFNS): (1 / 4 + 1) / 2}


def test_measures_worked_out_by_hand() -> None:
    # Graded 2 1 4 in the order found, then one without a grade; a result with 3 was not found.
    grades = {"1": {"a:0": 2, "b:0": 1, "c:0": 4, "m:0": 3}}
    measured = measure_results({FeatureSet.ATTK: {"1": hits("abcd")}}, grades)[FeatureSet.ATTK]
    assert measured.p5 == pytest.approx(2 / 5)
    # Relevant at ranks 1 and 3, and three relevant ones in all.
    assert measured.map == pytest.approx((1 / 1 + 2 / 3) / 3)
    # The gains of the grades 1 to 4 are 1, 3, 7 and 15; the ideal order is 4 3 2 1.
    gained = 3 + 1 / log2(3) + 15 / log2(4)
    best = 15 + 7 / log2(3) + 3 / log2(4) + 1 / log2(5)
    assert measured.ndcg5 == measured.ndcg == pytest.approx(gained / best)
    assert (measured.ungraded, measured.shown) == (1, 4)


def test_measures_at_five_end_at_five() -> None:
    measured = measure_results({FeatureSet.ATTK: {"1": hits("abcdef")}}, {"1": {"f:0": 4}})[FeatureSet.ATTK]
    assert (measured.p5, measured.ndcg5) == (0, 0)
    assert measured.map == pytest.approx(1 / 6)
    assert measured.ndcg == pytest.approx(1 / log2(7))
    assert (measured.ungraded, measured.shown) == (5, 5)


def test_equal_scores_are_measured_in_their_order() -> None:
    # Evaluation programs would otherwise put b first.
    tied = [found("a", 1.0), found("b", 1.0)]
    assert measure_results({FeatureSet.ATTK: {"1": tied}}, {"1": {"a:0": 2}})[FeatureSet.ATTK].map == 1


def test_queries_without_grades_do_not_count() -> None:
    measured = measure_results({FeatureSet.ATTK: {"1": hits("a"), "2": hits("b")}}, {"1": {"a:0": 4}})[
        FeatureSet.ATTK
    ]
    assert measured.map == 1
    assert (measured.ungraded, measured.shown) == (0, 1)


def test_grades_of_other_queries_are_none(archived: Store) -> None:
    with pytest.raises(InputError, match="no result of these queries has a grade"):
        compare_feature_sets(archived, [ROOK_QUERY], 5, {"9": {"rook:0": 4}})


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(LibraryMissingError, match=r"chess-motif\[bench\]"):
        measure_results({FeatureSet.ATTK: {"1": hits("a")}}, {"1": {"a:0": 1}})


def test_without_grades_overlaps_are_shown(archived: Store) -> None:
    text = feature_sets_text(compare_feature_sets(archived, [QUEEN_QUERY, KING_QUERY], 3))
    assert "2 queries, the best 3 of each feature set" in text
    assert "CombNoRay 1.00" in " ".join(text.split())


def test_with_grades_measures_are_shown_with_what_is_ungraded(archived: Store) -> None:
    text = feature_sets_text(
        compare_feature_sets(archived, [ROOK_QUERY, KING_QUERY], 3, {"1": {"rook:0": 4}})
    )
    assert "1 of the queries are graded" in text
    assert "TruePos 0.200 1.000 1.000 1.000 2 of 3" in " ".join(text.split())


def test_queries_are_measured_by_their_lengths(archived: Store) -> None:
    full_board = NumberedPosition("4", chess.Board())
    grades = {"1": {"rook:0": 4}, "3": {"king:0": 4}, "4": {"none:0": 4}}
    report = compare_feature_sets(archived, [ROOK_QUERY, KING_QUERY, full_board], 3, grades)
    assert report.graded is not None
    groups = {"all": report.graded, **report.by_length}
    assert {name: (one.queries, one.measures[FeatureSet.DEFAULT].map) for name, one in groups.items()} == {
        "all": (3, pytest.approx(2 / 3)),
        "2–10": (2, 1),
        "23–32": (1, 0),
    }
    assert "Default 1.000 0.000" in " ".join(feature_sets_text(report).split())


@pytest.fixture
def command(sqlite_store: Store, command_on: CommandOn) -> Command:
    archive(sqlite_store, *GAMES)
    return command_on(sqlite_store, "benchmarks.feature_sets")


@pytest.fixture
def queries(tmp_path: Path) -> str:
    file = tmp_path / "queries.fen"
    file.write_text(f"{ROOKS}\nnonsense\n{KINGS}\n")
    return str(file)


@pytest.fixture
def qrels(tmp_path: Path) -> str:
    file = tmp_path / "qrels.txt"
    file.write_text("1 0 rook:0 4\n1 0 king:0 9\n")
    return str(file)


def test_overlaps(command: Command, queries: str) -> None:
    status, out, _ = command(queries)
    assert status == 0
    assert "queries, the best 200 of each feature set" in out


def test_the_page_for_grading_is_written(command: Command, queries: str, tmp_path: Path) -> None:
    page = tmp_path / "grading.html"
    assert command(queries, "--html", str(page))[0] == 0
    assert "<svg" in page.read_text(encoding="utf-8")


def test_bad_lines_are_reported_with_file_and_line(command: Command, queries: str, qrels: str) -> None:
    _, _, err = command(queries, "--qrels", qrels)
    assert [line.split(": ")[:2] for line in err.splitlines()] == [[queries, "line 2"], [qrels, "line 2"]]


def test_measures_as_json(command: Command, queries: str, qrels: str) -> None:
    document = json.loads(command(queries, "--qrels", qrels, "-k", "5", "--json")[1])
    assert [query["id"] for query in document["queries"]] == ["1", "3"]
    assert (document["k"], document["judged_queries"]) == (5, 1)
    assert document["measures"]["CombAll"]["map"] == 1
    assert document["by_length"]["2–10"]["measures"] == document["measures"]


def test_colours_are_reversed_only_when_asked_for(command: Command, tmp_path: Path) -> None:
    queries = tmp_path / "reversed.fen"
    queries.write_text(chess.Board(ROOKS).mirror().fen())

    def best_score(*options: str) -> float:
        command(str(queries), "--out", str(tmp_path), *options)
        return float((tmp_path / "TruePos.run").read_text().split()[4])

    assert best_score() == best_score("--colours", "same") < best_score("--colours", "either")


def test_runs_are_written(command: Command, queries: str, tmp_path: Path) -> None:
    command(queries, "--out", str(tmp_path / "runs"))
    first = (tmp_path / "runs" / "TruePos.run").read_text().splitlines()[0]
    assert first.startswith("1 Q0 rook:0 1 ")
    assert {file.stem for file in (tmp_path / "runs").iterdir()} == {*FeatureSet}


def test_the_page_has_the_grades_so_far(command: Command, queries: str, qrels: str, tmp_path: Path) -> None:
    page = tmp_path / "grade.html"
    _, _, err = command(queries, "--qrels", qrels, "--html", str(page))
    assert '["1", "rook:0", 4]' in page.read_text(encoding="utf-8")
    assert err.splitlines()[-1] == f"Written to {page}: grade the results there and save qrels.txt"


def test_what_cannot_be_done_is_one_line_and_status_1(command: Command, queries: str, tmp_path: Path) -> None:
    for arguments in (
        ["/nowhere.fen"],
        [queries, "--qrels", "/nowhere.txt"],
        [queries, "--html", "/no/where"],
    ):
        status, out, err = command(*arguments)
        assert (status, out) == (1, "")
        assert err.splitlines()[-1].startswith("benchmarks: ")


@pytest.mark.parametrize("arguments", [[], ["x.fen", "-k", "0"]])
def test_wrong_usage_is_status_2(command: Command, arguments: list[str]) -> None:
    assert command(*arguments)[0] == 2
