"""What an attempt at a puzzle changes: the student's ratings, and when the puzzle is due again."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from chess_motif import arguments
from chess_motif.errors import InputError
from chess_motif.text import clean_name
from db.attempts import Attempt, lock_student
from db.models import Puzzle, utc_now
from db.puzzles import get_puzzle
from db.store import Store
from motifsearch.trainer.rating import rate, rate_again
from motifsearch.trainer.repetition import schedule
from motifsearch.trainer.solving import Grade


def record_attempt(
    store: Store,
    solver: str,
    puzzle_id: str,
    grade: Grade,
    *,
    seconds: float,
    at: datetime | None = None,
) -> datetime:
    """Store an attempt, and return when the puzzle is due again (UTC).

    `at` is when it was solved (default: now). Raises `UnknownPuzzleError`, and `InputError` for a solver
    without a name or a time below 0.
    """
    arguments.at_least(0, seconds=seconds)
    grade, at = arguments.one_of(Grade, grade=grade), at or utc_now()
    if not clean_name(solver):
        raise InputError("the solver has no name")
    with store.session() as session:
        lock_student(session, solver)
        puzzle = get_puzzle(session, puzzle_id)
        add_attempt(session, solver, puzzle, grade, seconds=seconds, at=at)
        return schedule(session, solver, puzzle.id, grade, at)


def add_attempt(
    session: Session,
    solver: str,
    puzzle: Puzzle,
    grade: Grade,
    *,
    seconds: float,
    at: datetime,
    on_clock: bool = False,
) -> Attempt:
    """Store an attempt, rated if it is the first one, and return it."""
    attempt = Attempt(
        solver=solver,
        puzzle_id=puzzle.id,
        right=grade is not Grade.AGAIN,
        hinted=grade is Grade.HARD,
        on_clock=on_clock,
        seconds=seconds,
        at=at,
    )
    rate(session, attempt, puzzle)
    session.add(attempt)
    session.flush()
    return attempt


def mend_attempt(session: Session, number: int, *, hinted: bool) -> float | None:
    """Store that an attempt was right after all, and return the rating after it."""
    attempt = session.get_one(Attempt, number)
    attempt.right, attempt.hinted = True, hinted
    rate_again(session, attempt.solver)
    return attempt.rating
