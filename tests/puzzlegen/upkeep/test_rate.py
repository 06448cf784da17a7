"""Estimating the difficulty of stored puzzles."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sqlalchemy import select, update

from chess_motif.errors import HumanModelError
from db.models import Puzzle
from db.puzzles import PuzzleFilter, add_puzzles
from db.store import Store
from engines.human.model import MODEL_VARIABLE
from puzzlegen.formats.entry import puzzle_row
from puzzlegen.upkeep.changes import rate
from tests.helpers.recording_progress import RecordingProgress
from tests.helpers.solutions import parsed

LINES = {
    "mate": ("6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1", "e1e8"),
    "fork": ("q3k2r/5ppp/8/3N4/8/8/5PPP/6K1 w k - 0 1", "d5c7 e8e7 c7a8"),
}


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)


@pytest.fixture
def puzzles(sqlite_store: Store) -> Store:
    rows = []
    for name, (fen, line) in LINES.items():
        board, moves = parsed(fen, line)
        rows.append(puzzle_row(board, [move.uci() for move in moves], "pgn", name))
    with sqlite_store.session() as session:
        add_puzzles(session, rows)
    return sqlite_store


def difficulties(store: Store) -> dict[str, float | None]:
    with store.reading() as session:
        return {puzzle.source_id: puzzle.difficulty for puzzle in session.scalars(select(Puzzle))}


def test_every_puzzle_gets_an_estimate(puzzles: Store) -> None:
    progress = RecordingProgress()
    assert rate(puzzles, progress=progress) == 2
    with puzzles.reading() as session:
        for puzzle in session.scalars(select(Puzzle)):
            assert puzzle.difficulty is not None
            assert puzzle.difficulty_margin is not None
            assert 0 < (puzzle.first_move_chance or 0) <= 1
    assert progress.updates == [2]


def test_only_those_that_pass_the_filters(puzzles: Store) -> None:
    assert rate(puzzles, PuzzleFilter(moves=(1, 1))) == 1
    assert [name for name, difficulty in difficulties(puzzles).items() if difficulty] == ["mate"]


def test_those_without_an_estimate(puzzles: Store) -> None:
    with puzzles.session() as session:
        session.execute(update(Puzzle).where(Puzzle.source_id == "mate").values(difficulty=1.0))
    assert rate(puzzles, PuzzleFilter(unestimated=True)) == 1
    assert difficulties(puzzles)["mate"] == 1.0


def test_a_damaged_puzzle_is_named_and_the_rest_is_rated(puzzles: Store) -> None:
    with puzzles.session() as session:
        session.execute(update(Puzzle).where(Puzzle.source_id == "mate").values(solution="e1e9"))
    progress = RecordingProgress()
    assert rate(puzzles, progress=progress) == 1
    (notice,) = progress.notices
    assert "is damaged in the database, and not rated" in notice


def test_a_file_that_is_no_model(
    sqlite_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(b"nothing")
    monkeypatch.setenv(MODEL_VARIABLE, str(file))
    with pytest.raises(HumanModelError, match=str(file)):
        rate(sqlite_store)
