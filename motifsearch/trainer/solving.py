"""Solving a puzzle or an exercise: move by move, and when it is due again. Knows nothing of how it is shown.

Spaced repetition is that of FSRS (the library `fsrs`), which is loaded when an attempt is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import chess
from sqlalchemy.orm import Session

from chess_motif.boards import mates
from chess_motif.errors import PositionError
from chess_motif.notation import parse_line
from db.models import Kind, Puzzle, utc_now
from db.store import Store
from db.training import Attempt, Card, due_dates


class Feedback(StrEnum):
    """What a move of the solver is."""

    WRONG = "wrong"
    RIGHT = "right"
    SOLVED = "solved"


class Solving:
    """A puzzle that somebody is solving.

    `board` is the position with the solver to move, or after the last move once it is `solved`. `mistakes`
    and `hints` count what was wrong and what was asked for.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        """Set up the puzzle. Raises `StoreError` if it is damaged."""
        self.puzzle = puzzle
        self.board = puzzle.position()
        self.solved = False
        self.mistakes = 0
        self.hints = 0
        self._left = puzzle.moves()
        self._accepted = puzzle.accepted_moves() or self._left[:1]

    @property
    def right(self) -> bool:
        """Whether it was solved without a mistake."""
        return self.solved and not self.mistakes

    def play(self, text: str) -> Feedback:
        """Play a move in SAN or UCI, and the opponent's reply if there is one.

        Any mate solves it, and any accepted move of an exercise. After a wrong move the position stays as it
        is. Raises `PositionError` for what is no legal move; it does not count as a mistake.
        """
        moves = parse_line(self.board, text)
        if len(moves) > 1:
            raise PositionError("one move at a time")
        (move,) = moves
        is_mate = mates(self.board, move)
        if not is_mate and move not in self._accepted:
            self.mistakes += 1
            return Feedback.WRONG
        self.board.push(move)
        self.solved = is_mate or self.puzzle.kind == Kind.EXERCISE or len(self._left) == 1
        if self.solved:
            return Feedback.SOLVED
        self.board.push(self._left[1])
        self._left = self._left[2:]
        self._accepted = self._left[:1]
        return Feedback.RIGHT

    def hint(self) -> str:
        """Return the piece to move, as `the knight on e5`; when asked again, also where it goes."""
        self.hints += 1
        move = self._accepted[0]
        kind = self.board.piece_type_at(move.from_square)
        assert kind is not None
        piece = f"the {chess.piece_name(kind)} on {chess.square_name(move.from_square)}"
        return piece if self.hints == 1 else f"{piece} goes to {chess.square_name(move.to_square)}"


def record_attempt(
    store: Store,
    solver: str,
    puzzle_id: str,
    *,
    right: bool,
    seconds: float,
    hinted: bool = False,
    at: datetime | None = None,
) -> datetime:
    """Store an attempt, and return when the puzzle is due again (UTC).

    `right` says whether all moves were right at once; a puzzle that was solved with a hint (`hinted`) is due
    earlier. `at` is when it was solved (default: now).
    """
    import fsrs

    at = at or utc_now()
    rating = fsrs.Rating.Again if not right else fsrs.Rating.Hard if hinted else fsrs.Rating.Good
    # Steps of minutes are for vocabulary: a puzzle whose solution was just seen teaches nothing. Dates are
    # not varied at random, so that the same attempts give the same dates.
    scheduler = fsrs.Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    with store.session() as session:
        session.add(Attempt(solver=solver, puzzle_id=puzzle_id, right=right, seconds=seconds, at=at))
        stored = session.get(Card, (solver, puzzle_id))
        card = fsrs.Card() if stored is None else fsrs.Card.from_dict(stored.state)  # type: ignore[arg-type]
        card, _ = scheduler.review_card(card, rating, at)
        state = dict(card.to_dict())
        session.merge(Card(solver=solver, puzzle_id=puzzle_id, due=card.due, state=state))
    return card.due


@dataclass(frozen=True)
class Due:
    """The puzzles of a set for its solver: those due again, earliest first, and those never tried, in order.

    `later` is when the next of the others is due, None if there are none.
    """

    again: tuple[Puzzle, ...]
    new: tuple[Puzzle, ...]
    later: datetime | None


def due(session: Session, solver: str, puzzles: Sequence[Puzzle], at: datetime | None = None) -> Due:
    """Return which of some puzzles `solver` is to solve at a time (default: now)."""
    at = at or utc_now()
    dates = due_dates(session, solver)
    tried = sorted((puzzle for puzzle in puzzles if puzzle.id in dates), key=lambda one: dates[one.id])
    again = tuple(puzzle for puzzle in tried if dates[puzzle.id] <= at)
    new = tuple(puzzle for puzzle in puzzles if puzzle.id not in dates)
    return Due(again, new, next((dates[puzzle.id] for puzzle in tried if dates[puzzle.id] > at), None))
