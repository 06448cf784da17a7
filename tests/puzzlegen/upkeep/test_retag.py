"""Tags of puzzles that were stored before."""

from __future__ import annotations

import os

import chess
import pytest
from sqlalchemy import select, update

from db.models import Puzzle
from db.puzzles import add_puzzles
from db.store import Store
from puzzlegen.formats.entry import after_blunder, puzzle_row
from puzzlegen.upkeep.changes import retag
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


def test_they_are_what_a_new_puzzle_has(sqlite_store: Store) -> None:
    puzzles = [
        puzzle_row(chess.Board(FORK[0]), FORK[1], "pgn", ""),
        puzzle_row(TAKEN, PUT_OFF, "pgn", ""),
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
    puzzle = puzzle_row(chess.Board(FORK[0]), FORK[1], "pgn", "")
    puzzle.outcome = ""
    with sqlite_store.session() as session:
        add_puzzles(session, [puzzle])
    assert retag(sqlite_store) == 1
    with sqlite_store.reading() as session:
        assert session.scalars(select(Puzzle.outcome)).all() == ["material"]


@pytest.mark.usefixtures("in_this_process")
def test_a_second_time_nothing_changes(sqlite_store: Store) -> None:
    with sqlite_store.session() as session:
        add_puzzles(session, [puzzle_row(chess.Board(FORK[0]), FORK[1], "pgn", "")])
    assert retag(sqlite_store) == 0
