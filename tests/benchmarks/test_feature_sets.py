"""The measures of feature sets by grades."""

from __future__ import annotations

from math import log2
from pathlib import Path

import chess
import pytest

from benchmarks.feature_sets import by_length, measure_results
from chess_motif.errors import InputError
from db.store import Store
from motifsearch.positions.searcher import PositionHit
from tests.helpers.archived_games import GAMES, KINGS, ROOKS, archive, found
from tests.helpers.commands import Command, CommandOn


def hits(keys: str) -> list[PositionHit]:
    return [found(key, 10.0 - place) for place, key in enumerate(keys)]


def test_measures_worked_out_by_hand() -> None:
    # Graded 2 1 4 in the order found, then one without a grade; a result with 3 was not found.
    grades = {"1": {"a:0": 2, "b:0": 1, "c:0": 4, "m:0": 3}}
    measured = measure_results({"1": hits("abcd")}, grades)
    # The gains of the grades 1 to 4 are 1, 3, 7 and 15; the ideal order is 4 3 2 1.
    gained = 3 + 1 / log2(3) + 15 / log2(4)
    best = 15 + 7 / log2(3) + 3 / log2(4) + 1 / log2(5)
    # Relevant at ranks 1 and 3, and three relevant ones in all.
    assert measured.means == pytest.approx(
        {"P@5": 2 / 5, "MAP": (1 / 1 + 2 / 3) / 3, "nDCG@5": gained / best, "nDCG": gained / best}
    )
    assert (measured.ungraded, measured.shown) == (1, 4)


def test_measures_at_five_end_at_five() -> None:
    measured = measure_results({"1": hits("abcdef")}, {"1": {"f:0": 4}})
    assert measured.means == pytest.approx({"P@5": 0, "MAP": 1 / 6, "nDCG@5": 0, "nDCG": 1 / log2(7)})
    assert (measured.ungraded, measured.shown) == (5, 5)


def test_equal_scores_are_measured_in_their_order() -> None:
    # Evaluation programs would otherwise put b first.
    tied = [found("a", 1.0), found("b", 1.0)]
    assert measure_results({"1": tied}, {"1": {"a:0": 2}}).means["MAP"] == 1


def test_queries_without_grades_do_not_count() -> None:
    measured = measure_results({"1": hits("a"), "2": hits("b")}, {"1": {"a:0": 4}})
    assert (measured.means["MAP"], measured.ungraded, measured.shown) == (1, 0, 1)


def test_queries_are_grouped_by_their_lengths() -> None:
    queries = {"1": chess.Board(ROOKS), "3": chess.Board(KINGS), "4": chess.Board()}
    grades = {"1": {"a:0": 1}, "4": {"b:0": 2}, "9": {"c:0": 3}}
    few, many = {"1": {"a:0": 1}}, {"4": {"b:0": 2}}
    assert by_length(queries, grades) == {"all": few | many, "2–10": few, "23–32": many}


@pytest.fixture
def command(sqlite_store: Store, command_on: CommandOn) -> Command:
    archive(sqlite_store, *GAMES)
    return command_on(sqlite_store, "benchmarks.feature_sets")


def test_bad_lines_are_left_out_with_file_and_line(command: Command, tmp_path: Path) -> None:
    queries, qrels = tmp_path / "queries.fen", tmp_path / "qrels.txt"
    queries.write_text(f"{ROOKS}\nnonsense\n{KINGS}\n")
    qrels.write_text("1 0 rook:0 4\n1 0 king:0 9\n")
    status, out, err = command(str(queries), str(qrels))
    assert status == 0
    assert "1 graded queries" in out
    assert "TruePos 0.200 1.000 1.000 1.000 2 of 3" in " ".join(out.split())
    notes = [line.split(": ")[:2] for line in err.splitlines()]
    assert notes == [[str(queries), "line 2"], [str(qrels), "line 2"]]


def test_grades_of_other_queries_are_none() -> None:
    with pytest.raises(InputError, match="no result of these queries has a grade"):
        measure_results({"1": hits("a")}, {})
