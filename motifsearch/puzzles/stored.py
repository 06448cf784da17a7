"""What a puzzle index reads from the database: which puzzles there are, with their positions and solutions.

Exercises are not in it. Puzzles are identified by their numbers, which increase and are never reused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from chess_motif.errors import InputError
from db.models import Kind, Puzzle
from db.puzzles import PuzzleFilter, filtered
from motifsearch.puzzles.encoding import Row

# Rows read from the database at a time.
BATCH = 1000


def extent(session: Session) -> tuple[int, int]:
    """Return how many puzzles there are, and the highest number (0 if there are none)."""
    extent_of = select(func.count(Puzzle.number), func.max(Puzzle.number)).where(_IS_PUZZLE)
    count, last = session.execute(extent_of).one()
    return count, last or 0


def require_puzzles(session: Session) -> None:
    """Raise `InputError` when there is no puzzle in the database."""
    if session.scalar(select(Puzzle.number).where(_IS_PUZZLE).limit(1)) is None:
        raise InputError("the database has no puzzles yet; 'puzzlegen mine' or 'puzzlegen import' adds some")


def numbers_between(session: Session, first: int, end: int) -> list[int]:
    """Return the numbers of the puzzles from `first` up to, not including, `end`."""
    between = select(Puzzle.number).where(_IS_PUZZLE, Puzzle.number >= first, Puzzle.number < end)
    return list(session.scalars(between))


def numbers_passing(session: Session, filters: PuzzleFilter, limit: int) -> list[int]:
    """Return the numbers of at most `limit` puzzles that pass the filter."""
    return list(session.scalars(filtered(select(Puzzle.number), filters).limit(limit)))


def rows_after(session: Session, number: int) -> Iterator[Row]:
    """Yield the puzzles with numbers above `number`, in order; they are read in batches."""
    query = _ROWS.order_by(Puzzle.number).limit(BATCH)
    while rows := session.execute(query.where(Puzzle.number > number)).all():
        yield from (Row(*row) for row in rows)
        number = rows[-1].number


def rows_numbered(session: Session, numbers: Sequence[int]) -> Iterator[Row]:
    """Yield the puzzles with these numbers."""
    for start in range(0, len(numbers), BATCH):
        batch = numbers[start : start + BATCH]
        yield from (Row(*row) for row in session.execute(_ROWS.where(Puzzle.number.in_(batch))))


_IS_PUZZLE = Puzzle.kind == Kind.PUZZLE.value
_ROWS = select(Puzzle.number, Puzzle.id, Puzzle.puzzle_fen, Puzzle.solution).where(_IS_PUZZLE)
