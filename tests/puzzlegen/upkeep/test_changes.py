"""Puzzles that are stored change: their tags, and how hard they are."""

from __future__ import annotations

import os
from pathlib import Path

import chess
import pytest
from sqlalchemy import select, update

from chess_motif.errors import HumanModelError
from db.models import Puzzle
from db.puzzles import PuzzleFilter, add_puzzles
from db.store import Store
from engines.human.model import MODEL_VARIABLE
from puzzlegen.formats.entry import after_blunder, parsed_puzzle
from puzzlegen.upkeep.changes import rate, retag
from tests.helpers.recording_progress import RecordingProgress

FORK = ("q3k2r/5ppp/8/3N4/8/8/5PPP/6K1 w k - 0 1", ["d5c7", "e8e7", "c7a8"])
# The bishop takes on c3, and is not taken back at once.
TAKEN = after_blunder("r1bq1rk1/ppp2ppp/8/8/1b6/2NB4/PPP2PPP/R1BQ1RK1 b - - 0 1", "b4c3")
PUT_OFF = ["d3h7", "g8h7", "b2c3"]


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)


def stored_tags(store: Store) -> dict[str, str]:
    with store.reading() as session:
        return {puzzle.id: puzzle.tags for puzzle in session.scalars(select(Puzzle))}


def test_new_tags_are_those_of_a_new_puzzle(sqlite_store: Store) -> None:
    puzzles = [
        parsed_puzzle(chess.Board(FORK[0]), FORK[1], "pgn", "").puzzle,
        parsed_puzzle(TAKEN, PUT_OFF, "pgn", "").puzzle,
    ]
    with sqlite_store.session() as session:
        add_puzzles(session, puzzles)
        session.execute(update(Puzzle).values(tags="old"))
    progress = RecordingProgress()
    assert retag(sqlite_store, progress) == 2
    assert stored_tags(sqlite_store) == {puzzle.id: puzzle.tags for puzzle in puzzles}
    assert {"intermezzo", "middlegame"} <= {*puzzles[1].tags.split()}
    assert progress.updates == [2]


@pytest.mark.usefixtures("in_this_process")
def test_puzzles_of_earlier_imports_get_an_outcome(sqlite_store: Store) -> None:
    puzzle = parsed_puzzle(chess.Board(FORK[0]), FORK[1], "pgn", "").puzzle
    puzzle.outcome = ""
    with sqlite_store.session() as session:
        add_puzzles(session, [puzzle])
    assert retag(sqlite_store) == 1
    with sqlite_store.reading() as session:
        assert session.scalars(select(Puzzle.outcome)).all() == ["material"]


@pytest.mark.usefixtures("in_this_process")
def test_retagging_twice_changes_nothing(sqlite_store: Store) -> None:
    with sqlite_store.session() as session:
        add_puzzles(session, [parsed_puzzle(chess.Board(FORK[0]), FORK[1], "pgn", "").puzzle])
    assert retag(sqlite_store) == 0


@pytest.fixture
def puzzles(sqlite_store: Store, in_this_process: None) -> Store:
    lines = {"mate": ("6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1", ["e1e8"]), "fork": FORK}
    rows = [parsed_puzzle(chess.Board(fen), line, "pgn", name).puzzle for name, (fen, line) in lines.items()]
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
