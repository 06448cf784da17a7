"""The programs that the page on the papers names run, each on a small input."""

from __future__ import annotations

import re
import sys
from functools import partial
from pathlib import Path

import chess
import numpy as np
import pytest

from benchmarks import packed
from db.store import Store
from puzzlegen.difficulty.attributes import TreeAttributes
from puzzlegen.difficulty.tree import MeaningfulTree, TreePosition
from tests.helpers.commands import CommandOn
from tests.helpers.paths import ROOT
from tests.helpers.sample_games import PGN
from training import thesis

# They learn for hours, with a library that CI does not install.
NEED_PYTORCH = {"training.chessbert", "training.embedding"}


def test_each_program_that_the_page_names_is_run_by_a_test() -> None:
    page = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:benchmarks|training)\.\w+)", page))
    tests = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("test_*.py"))
    assert named
    assert {name for name in named if f'"{name}"' not in tests} <= NEED_PYTORCH


@pytest.fixture(scope="module")
def puzzles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve smothered mates in the schema of Lichess, rated like the classes of the thesis."""
    rows = ["PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags"]
    for number in range(12):
        board = chess.Board("r4rk1/6pp/7N/8/8/8/5P1P/6K1 b - - 0 1")
        board.set_piece_at(chess.A2 + number % 5 + 8 * (number // 5), chess.Piece(chess.PAWN, chess.WHITE))
        rating = [*thesis.CLASSES.values()][number % 3].mean + number
        rows.append(f"puzzle{number},{board.fen()},g8h8 h6f7,{rating:.0f},,,,mate,,")
    file = tmp_path_factory.mktemp("papers") / "puzzles.csv"
    file.write_text("\n".join([*rows, ""]), encoding="utf-8")
    return file


def test_searches_are_timed(
    puzzles: Path, sqlite_store: Store, command_on: CommandOn, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("bm25s")
    monkeypatch.setattr("benchmarks.search.RESULTS", 2)
    done = command_on(sqlite_store, "benchmarks.search")(str(puzzles), "--queries", "4")
    assert done.status == 0
    assert "overlap of the best ten" in done.out


def test_positions_are_packed(
    puzzles: Path,
    tmp_path: Path,
    sqlite_store: Store,
    command_on: CommandOn,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packed, "LOOKUPS", 2)
    (tmp_path / "games.pgn").write_text(PGN)
    done = command_on(sqlite_store, "benchmarks.packed")(str(tmp_path / "games.pgn"), str(puzzles))
    assert done.status == 0
    assert {"xz -9", "simple", "packed"} <= {line.split("  ")[0] for line in done.out.splitlines()}
    predicted, flat = map(float, re.findall(r"(\S+) as predicted, (\S+) flat", done.out)[0])
    assert predicted < flat


def test_the_attributes_of_the_thesis_are_written(
    puzzles: Path,
    tmp_path: Path,
    stockfish: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "attributes.csv"
    monkeypatch.setattr(thesis, "class_sample", partial(thesis.class_sample, size=2))
    monkeypatch.setattr(
        sys, "argv", ["training.thesis", "attributes", str(puzzles), str(out), "--depth", "2"]
    )
    thesis.main()
    assert "6 puzzles, 0.0% of the trees cut" in capsys.readouterr().out
    assert len(out.read_text().splitlines()) == 7


def test_the_classes_of_the_thesis_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("sklearn")
    board = chess.Board()
    names = TreeAttributes(MeaningfulTree(TreePosition(board, board.legal_moves.count()))).vector()
    random = np.random.default_rng(1)
    rows = [",".join([*thesis.COLUMNS, *names])]
    for number in range(30):
        name, spread = [*thesis.CLASSES.items()][number % 3]
        values = random.integers(1, 9, len(names))
        rows.append(f"p{number},{spread.mean},{name},1,1,1,1,{','.join(map(str, values))}")
    (tmp_path / "attributes.csv").write_text("\n".join([*rows, ""]))
    quick = {name: thesis.classifiers()[name] for name in ("logistic regression", "naive Bayes")}
    monkeypatch.setattr(thesis, "classifiers", lambda: quick)
    monkeypatch.setattr(thesis, "FOLDS", 2)
    monkeypatch.setattr(thesis, "RESAMPLES", 20)
    monkeypatch.setattr(sys, "argv", ["training.thesis", "classify", str(tmp_path / "attributes.csv")])
    thesis.main()
    assert "naive Bayes" in capsys.readouterr().out
