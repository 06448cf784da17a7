"""Reading the puzzles for benchmarks."""

from __future__ import annotations

from db.models import Puzzle
from db.puzzles import get_puzzles
from db.selection import puzzle_ids
from db.store import Store
from motifsearch.puzzles.index import Row
from puzzlegen.formats import lichess_csv
from puzzlegen.formats.entry import Parsed
from puzzlegen.games.archive import open_archive


def read_puzzles(source: str) -> list[Puzzle]:
    """Return the puzzles of a Lichess puzzle file, or of the database with this URL.

    Puzzles that cannot be used are left out. Raises `ArchiveError`, `TableError` and `StoreError`.
    """
    if "://" in source:
        with Store(source).reading() as session:
            return list(get_puzzles(session, puzzle_ids(session)).values())
    with open_archive(source) as archive:
        return [entry.puzzle for _, entry in lichess_csv.read(archive) if isinstance(entry, Parsed)]


def sample(puzzles: list[Puzzle], count: int) -> list[Puzzle]:
    """Return `count` puzzles, evenly spaced in a list that may be sorted."""
    return puzzles[:: max(1, len(puzzles) // count)][:count]


def rows_of(puzzles: list[Puzzle]) -> list[Row]:
    """Return numbered rows of puzzles for the index."""
    return [
        Row(number, puzzle.id, puzzle.fen, puzzle.blunder, puzzle.puzzle_fen, puzzle.solution)
        for number, puzzle in enumerate(puzzles, start=1)
    ]
