"""What is exported can be imported: every format, with everything that it has room for."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO

import pytest
from hypothesis import assume, given, settings

from db.models import Game, Kind, Puzzle
from db.puzzles import PuzzleFilter, add_puzzles, find_puzzles
from db.store import Store
from puzzlegen.formats import epd, jsonl, lichess_csv, pgn
from puzzlegen.formats.entry import Parsed
from puzzlegen.formats.exporting import Format, export_puzzles
from puzzlegen.formats.importing import import_puzzles
from tests.helpers.puzzle_files import archive_of
from tests.helpers.puzzle_strategies import puzzles
from tests.helpers.rows import puzzle_row

# Making a puzzle takes longer than writing and reading it.
EXAMPLES = 30

# Columns that mean something in one database only.
NUMBERS = {"number", "game_number", "run_number"}
GAME_COLUMNS = {column.name for column in Game.__table__.columns} - NUMBERS
EVERYTHING = {column.name for column in Puzzle.__table__.columns} - NUMBERS
LINE = {"id", "kind", "puzzle_fen", "solution", "accepted", "outcome", "tags"}
OF_LICHESS = {"rating", "rating_deviation", "popularity", "plays", "opening_tags", "game_url"}
FACTS = OF_LICHESS | {
    "gap",
    "solver_found",
    "difficulty",
    "difficulty_margin",
    "first_move_chance",
}
NAMED = LINE | FACTS | {"fen", "blunder", "source", "source_id"}


def trip(
    kind: ModuleType, puzzle: Puzzle, write: Callable[[TextIO, list[Puzzle]], None] | None = None
) -> Puzzle:
    """Return what the reader of a format makes of a puzzle."""
    out = io.StringIO()
    (write or kind.write)(out, [puzzle])
    ((_, entry),) = kind.read(archive_of(out.getvalue().encode()))
    assert isinstance(entry, Parsed), entry
    return entry.puzzle


def kept(stored: Puzzle | Game, columns: Iterable[str]) -> dict[str, Any]:
    return {column: getattr(stored, column) for column in columns}


def game_of(puzzle: Puzzle) -> dict[str, Any] | None:
    return kept(puzzle.game, GAME_COLUMNS) if puzzle.game else None


@settings(max_examples=EXAMPLES)
@given(puzzles())
def test_json_lines_have_everything(puzzle: Puzzle) -> None:
    imported = trip(jsonl, puzzle)
    assert kept(imported, EVERYTHING) == kept(puzzle, EVERYTHING)
    assert game_of(imported) == game_of(puzzle)


@pytest.mark.parametrize("write", [pgn.write, pgn.write_study])
@settings(max_examples=EXAMPLES)
@given(puzzle=puzzles())
def test_pgn_has_the_line_the_facts_and_the_game(
    write: Callable[[TextIO, list[Puzzle]], None], puzzle: Puzzle
) -> None:
    imported = trip(pgn, puzzle, write)
    assert kept(imported, NAMED) == kept(puzzle, NAMED)
    assert imported.all_tags() == puzzle.all_tags()
    assert game_of(imported) == game_of(puzzle)


@settings(max_examples=EXAMPLES)
@given(puzzles(for_lichess=True))
def test_csv_has_the_line_and_what_lichess_has_columns_for(puzzle: Puzzle) -> None:
    # Lichess has no empty numbers: what nobody has counted is none, and only a rating has a deviation.
    puzzle.popularity, puzzle.plays = puzzle.popularity or 0, puzzle.plays or 0
    puzzle.rating_deviation = None if puzzle.rating is None else puzzle.rating_deviation or None
    assume((puzzle.rating, puzzle.rating_deviation) != (1500, 500))
    imported = trip(lichess_csv, puzzle)
    columns = LINE - {"outcome", "tags"} | OF_LICHESS | {"fen", "blunder"}
    assert kept(imported, columns) == kept(puzzle, columns)


@settings(max_examples=EXAMPLES)
@given(puzzles())
def test_epd_has_the_line(puzzle: Puzzle) -> None:
    imported = trip(epd, puzzle)
    columns = LINE - {"puzzle_fen", "tags", "accepted"} | {"source_id"}
    assert kept(imported, columns) == kept(puzzle, columns)
    # Only the first of them keeps its place.
    found, stored = imported.accepted.split(), puzzle.accepted.split()
    assert (found[:1], sorted(found)) == (stored[:1], sorted(stored))
    assert imported.puzzle_fen.split()[:4] == puzzle.puzzle_fen.split()[:4]


@pytest.mark.parametrize("kind", [Format.JSONL, Format.PGN])
def test_the_game_comes_with_the_puzzle(filled: Store, tmp_path: Path, kind: Format) -> None:
    out = tmp_path / f"out.{kind}"
    export_puzzles(str(out), filled, kind)
    with Store(f"{tmp_path}/again.db") as again:
        import_puzzles(str(out), again)
        with again.reading() as session:
            games = [puzzle.game for puzzle in find_puzzles(session)]
    # Both puzzles have the same id.
    assert [game.white for game in games if game] == ['A "B" [C]']


# The capture wins a pawn because taking back allows a mate, which is not forced.
NOT_FORCED = {
    "fen": "4q1k1/5ppp/4p3/3p4/8/5B2/5PPP/4R1K1 w - - 0 1",
    "puzzle_fen": "4q1k1/5ppp/4p3/3p4/8/5B2/5PPP/4R1K1 w - - 0 1",
    "solution": "f3d5 e6d5 e1e8",
    "accepted": "f3d5",
    "kind": "exercise",
    "outcome": "material",
    "tags": "backRankMate middlegame short",
}


@pytest.mark.parametrize("suffix", ["jsonl", "pgn"])
def test_a_mate_in_the_line_of_an_exercise_is_no_claim(
    sqlite_store: Store, tmp_path: Path, suffix: str
) -> None:
    file = str(tmp_path / f"exercise.{suffix}")
    with sqlite_store.session() as session:
        add_puzzles(session, [puzzle_row("exercise", **NOT_FORCED)])
    export_puzzles(file, sqlite_store, selection=PuzzleFilter(kind=None))
    with Store(str(tmp_path / "other.db")) as other:
        import_puzzles(file, other)
        with other.reading() as session:
            (again,) = find_puzzles(session, PuzzleFilter(kind=Kind.EXERCISE))
    assert again.outcome == "material"
    assert "mateIn2" not in again.tags
