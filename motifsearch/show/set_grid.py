"""The grid of a set: what each student made of each puzzle, what was hardest, and how much is done, in words.

The puzzles of a set go in with the results of its students; the screen of the set and its table come out.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from io import StringIO
from typing import NamedTuple

from chess_motif.text import clock, counted
from db.days import day_of
from db.models import Puzzle
from motifsearch.trainer.coach import PuzzleResult, StudentResults
from motifsearch.trainer.round_state import Result
from puzzlegen.formats.lichess_csv import as_text

COLUMNS = ("student", "place", "id", "level", "result", "seconds", "attempts", "last")


class GridCell(NamedTuple):
    """What a student made of a puzzle at her first attempt, its sign, that in words, and the time."""

    result: PuzzleResult
    mark: Result
    sign: str
    words: str
    time: str


@dataclass(frozen=True)
class GridRow:
    """What a student made of the puzzles of a set, in its order; None for those not tried."""

    student: str
    cells: Sequence[GridCell | None]

    @property
    def tried(self) -> list[GridCell]:
        """What she has tried."""
        return [cell for cell in self.cells if cell is not None]

    @property
    def right(self) -> int:
        """How many were right at once."""
        return sum(cell.mark is Result.RIGHT for cell in self.tried)

    @property
    def time(self) -> str:
        """How long all of them took."""
        return clock(timedelta(seconds=sum(cell.result.seconds for cell in self.tried)))

    def words(self, due_on: date | None) -> str:
        """Return how much is done, and until when it is to be."""
        said = [f"{len(self.tried)} of {len(self.cells)}"]
        said += [f"{self.right} right at once"] if self.tried else []
        return ", ".join(said + (due_words(due_on) if len(self.tried) < len(self.cells) else []))


def grid(
    puzzles: Sequence[Puzzle], students: Sequence[str], results: Sequence[StudentResults]
) -> list[GridRow]:
    """Return a row for each student, of whom not all have results."""
    found = {(each.student, one.puzzle.id): _cell(one) for each in results for one in each.results}
    return [GridRow(name, [found.get((name, puzzle.id)) for puzzle in puzzles]) for name in students]


def _cell(one: PuzzleResult) -> GridCell:
    time = clock(timedelta(seconds=one.seconds))
    if not one.right:
        return GridCell(one, Result.WRONG, "✕", "wrong, then right" if one.later else "wrong", time)
    if one.hinted:
        return GridCell(one, Result.HELPED, "≈", "right with a hint", time)
    return GridCell(one, Result.RIGHT, "✓", "right", time)


def columns(rows: Sequence[GridRow]) -> list[list[Result]]:
    """Return what became of each puzzle, whoever has tried it."""
    cells = zip(*(row.cells for row in rows), strict=True)
    return [[cell.mark for cell in column if cell is not None] for column in cells]


def hardest(rows: Sequence[GridRow]) -> str:
    """Return which puzzle was wrong most often, as a sentence; empty if none was."""
    wrong = [(each.count(Result.WRONG), len(each), -place) for place, each in enumerate(columns(rows), 1)]
    failed = [(count / tried, count, place, tried) for count, tried, place in wrong if count]
    if not failed:
        return ""
    _, count, place, tried = max(failed)
    whom = {1: "the only one", 2: "both"}.get(tried, f"all {tried}")
    return (
        f"Puzzle {-place} was wrong for {whom if count == tried else f'{count} of the {tried}'} who tried it."
    )


def table(rows: Sequence[GridRow]) -> str:
    """Return a CSV table with a line for each puzzle that a student has tried."""
    out = StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for row in rows:
        for place, cell in enumerate(row.cells, 1):
            if cell is not None:
                one = cell.result
                facts = (
                    one.puzzle.level_text(),
                    cell.words,
                    round(one.seconds),
                    one.attempts,
                    day_of(one.last),
                )
                writer.writerow([as_text(row.student), place, one.puzzle.id, *facts])
    return out.getvalue()


def due_words(due_on: date | None) -> list[str]:
    """Return when a set is due, such as `due Friday 4 December`; nothing if it is not."""
    return [f"due {due_on:%A} {due_on.day} {due_on:%B}"] if due_on else []


def set_words(puzzles: int, students: Sequence[str], due_on: date | None) -> str:
    """Return how large a set is, whom it is for, and when it is due."""
    whom = counted(len(students), "student") if len(students) > 1 else f"for {''.join(students) or 'anyone'}"
    return ", ".join([counted(puzzles, "puzzle"), whom, *due_words(due_on)])
