"""`motifsearch report runs`: what is printed where, and the exit status."""

from __future__ import annotations

import json
from pathlib import Path

import chess
import pytest

from db.store import Store
from motifsearch.positions.feature_sets import FeatureSet
from tests.helpers.archived_games import GAMES, KINGS, ROOKS, archive
from tests.helpers.commands import Command, CommandOn


@pytest.fixture
def command(sqlite_store: Store, command_on: CommandOn) -> Command:
    archive(sqlite_store, *GAMES)
    return command_on(sqlite_store, "motifsearch", "report", "runs")


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


def test_overlaps_and_the_next_command(command: Command, queries: str) -> None:
    status, out, _ = command(queries)
    assert status == 0
    assert "queries, the best 10 of each run" in out
    assert out.splitlines()[-1] == f"Next: motifsearch report runs {queries} --html grade.html"


def test_bad_lines_are_reported_with_file_and_line(command: Command, queries: str, qrels: str) -> None:
    _, _, err = command(queries, "--qrels", qrels)
    assert [line.split(": ")[:2] for line in err.splitlines()] == [[queries, "line 2"], [qrels, "line 2"]]


def test_measures_as_json(command: Command, queries: str, qrels: str) -> None:
    document = json.loads(command(queries, "--qrels", qrels, "-k", "5", "--json")[1])
    assert [query["id"] for query in document["queries"]] == ["1", "3"]
    assert (document["k"], document["judged_queries"]) == (5, 1)
    assert document["measures"]["CombAll"]["map"] == 1
    assert document["without_terms"] == {"Attk": ["1", "3"], "Dfns": ["3"], "RayAttk": ["1", "3"]}


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
    _, out, _ = command(queries, "--qrels", qrels, "--html", str(page))
    assert '["1", "rook:0", 4]' in page.read_text(encoding="utf-8")
    assert out.splitlines()[-1] == f"Next: motifsearch report runs {queries} --qrels qrels.txt"


def test_what_cannot_be_done_is_one_line_and_status_1(command: Command, queries: str, tmp_path: Path) -> None:
    for arguments in (
        ["/nowhere.fen"],
        [queries, "--qrels", "/nowhere.txt"],
        [queries, "--html", "/no/where"],
    ):
        status, out, err = command(*arguments)
        assert (status, out) == (1, "")
        assert err.splitlines()[-1].startswith("motifsearch: ")


@pytest.mark.parametrize("arguments", [[], ["x.fen", "-k", "0"]])
def test_wrong_usage_is_status_2(command: Command, arguments: list[str]) -> None:
    assert command(*arguments)[0] == 2
