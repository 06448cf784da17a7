"""Results and grades in the formats of TREC: exact, and read by an evaluation program."""

from __future__ import annotations

from pathlib import Path

import ir_measures
import pytest

from chess_motif.errors import InputError
from motifsearch.evaluation.trec import document_id, falling_scores, read_qrels, run_lines, write_runs
from motifsearch.positions.feature_sets import FeatureSet
from tests.helpers.archived_games import found


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
