"""Training sets: named lists of puzzles for somebody."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from chess_motif.errors import InputError
from chess_motif.text import did_you_mean
from db.models import Puzzle
from db.training.models import Chance, SetPuzzle, TrainingSet


class SetSummary(NamedTuple):
    """A training set, and how many puzzles it has."""

    number: int
    name: str
    solver: str
    puzzles: int
    created: datetime


class SetEntry(NamedTuple):
    """A puzzle of a set, and the missed chance that it is there for."""

    puzzle: Puzzle
    chance: Chance

    @property
    def is_own(self) -> bool:
        """Whether the puzzle is the missed chance itself."""
        return self.puzzle.id == self.chance.puzzle_id


def find_set(session: Session, name: str) -> TrainingSet | None:
    """Return the set of this name, None if there is none."""
    return session.scalar(select(TrainingSet).where(TrainingSet.name == name))


def get_set(session: Session, name: str) -> TrainingSet:
    """Return the set of this name. Raises `InputError` if there is none."""
    found = find_set(session, name)
    if found is None:
        raise _unknown(session, name)
    return found


def sets_for(session: Session, name: str) -> list[SetSummary]:
    """Return the set of this name, or else all sets for this solver. Raises `InputError` for neither."""
    sets = all_sets(session)
    named = [each for each in sets if each.name == name] or [each for each in sets if each.solver == name]
    if not named:
        raise _unknown(session, name)
    return named


def all_sets(session: Session) -> list[SetSummary]:
    """Return all sets, by name."""
    puzzles = select(func.count()).where(SetPuzzle.set_number == TrainingSet.number).scalar_subquery()
    columns = select(TrainingSet.number, TrainingSet.name, TrainingSet.solver, puzzles, TrainingSet.created)
    return [SetSummary(*row) for row in session.execute(columns.order_by(TrainingSet.name))]


def set_entries(session: Session, number: int) -> list[SetEntry]:
    """Return the puzzles of a set in order. Deleted puzzles are left out."""
    entries = (
        select(Puzzle, Chance)
        .join(SetPuzzle, SetPuzzle.puzzle_id == Puzzle.id)
        .join(Chance, Chance.number == SetPuzzle.chance_number)
        .where(SetPuzzle.set_number == number)
    )
    return [SetEntry(*row) for row in session.execute(entries.order_by(SetPuzzle.place))]


def _unknown(session: Session, name: str) -> InputError:
    known = session.scalars(select(TrainingSet.name)).all()
    return InputError(
        f"no training set {name!r}{did_you_mean(name, known)}; 'motifsearch sets list' shows them"
    )


def extend_set(session: Session, number: int, entries: Sequence[tuple[str, int]]) -> None:
    """Add puzzles (id, and number of the missed chance) at the end of a set."""
    last = select(func.max(SetPuzzle.place)).where(SetPuzzle.set_number == number)
    first = (session.scalar(last) or 0) + 1
    session.add_all(
        SetPuzzle(set_number=number, puzzle_id=puzzle_id, place=place, chance_number=chance)
        for place, (puzzle_id, chance) in enumerate(entries, first)
    )


def delete_set(session: Session, number: int) -> None:
    """Delete a set. Its puzzles, and the attempts at them, stay."""
    session.execute(delete(SetPuzzle).where(SetPuzzle.set_number == number))
    session.execute(delete(TrainingSet).where(TrainingSet.number == number))
