"""A round as it is stored: its puzzles, what became of each, and how far the one that is asked for is.

See `rounds` for what a solver does in it.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, Field

from motifsearch.trainer.practice import Practice
from motifsearch.trainer.refutation import Refutation
from motifsearch.trainer.solving import SolvingState

# The longest that somebody is taken to think about a puzzle.
LONGEST = timedelta(minutes=10)

# Minutes of the rounds against the clock, and the mistakes that end them.
CLOCKS = (3, 5)
MOST_MISTAKES = 3


class RoundKind(StrEnum):
    """What a round is of."""

    SOME = ""
    """Puzzles of a set, of a motif, or chosen by hand."""
    TODAY = "today"
    """The plan of a day, see `plan`."""
    PRACTICE = "practice"
    """Puzzles that are chosen one after the other, see `practice`."""
    CLOCK = "clock"
    """The same against the clock: easy puzzles, without reasons and grades."""
    CYCLE = "cycle"
    """All puzzles of a set, see `cycles`: nothing is added to it."""


class Badge(StrEnum):
    """Why a puzzle is in a round."""

    REVIEW = "review"
    NEW = "new"
    MISSED = "missed"
    """The solver missed it in a game."""
    ALLOWED = "allowed"
    """The solver allowed it in a game."""
    AGAIN = "again"
    """It was failed in this round."""
    ALIKE = "alike"
    """It is like the one before, which was failed."""


class Result(StrEnum):
    """What became of a puzzle of a round."""

    RIGHT = "right"
    HELPED = "helped"
    WRONG = "wrong"
    SKIPPED = "skipped"


class Item(BaseModel):
    """A puzzle of a round: why it is in it, what became of it, and how many `seconds` that took.

    `rating_before` and `rating_after` are the ratings of the student, None if the attempt was not rated.
    `wrong` is the first wrong move, in SAN with its number, and `why` says why it fails.
    """

    puzzle_id: str
    badge: Badge = Badge.NEW
    result: Result | None = None
    seconds: float = 0.0
    rating_before: float | None = None
    rating_after: float | None = None
    wrong: str = ""
    why: str = ""

    @property
    def is_added(self) -> bool:
        """Whether the puzzle is there because another one was failed, or this one before."""
        return self.badge in (Badge.AGAIN, Badge.ALIKE)


class RoundState(BaseModel):
    """The puzzles of a round, the place (from 0) of the one that is asked for, and how far that is.

    `shows_motif` says whether the first hint, the motif, was asked for; `shown` whether the solution was.
    With `practice`, puzzles are added one by one: without an end, or until there are `most` of them. `ends`
    is when the time of a round against the clock is over. `attempt` is the number of the attempt at the
    puzzle, once it is stored, and `card` what the scheduler knew of the puzzle before; `excused` are the
    versions whose wrong move turned out to win as well.
    """

    items: list[Item]
    practice: Practice | None = None
    most: int | None = None
    ends: datetime | None = None
    place: int = 0
    begun: datetime
    solving: SolvingState = Field(default_factory=SolvingState)
    shows_motif: bool = False
    refuted: Refutation | None = None
    shown: bool = False
    attempt: int | None = None
    card: dict[str, Any] | None = None
    excused: list[int] = []

    def next(self, at: datetime) -> None:
        """Go on to the next puzzle."""
        self.place += 1
        self.begun, self.solving = at, SolvingState()
        self.shows_motif, self.refuted, self.shown = False, None, False
        self.attempt, self.card, self.excused = None, None, []

    def seconds(self, at: datetime) -> float:
        """Return how long somebody has thought about the puzzle that is asked for."""
        return max(0.0, min(at - self.begun, LONGEST).total_seconds())

    @property
    def mistakes(self) -> int:
        """How many puzzles were not solved."""
        return sum(item.result is Result.WRONG for item in self.items)

    @property
    def solved(self) -> int:
        """How many puzzles were solved, at once or with a hint."""
        return sum(item.result in (Result.RIGHT, Result.HELPED) for item in self.items)

    def wants_more(self, at: datetime) -> bool:
        """Return whether a round of practice goes on at a time."""
        own = sum(not item.is_added for item in self.items)
        return not self.is_over(at) and (self.most is None or own < self.most)

    def is_over(self, at: datetime) -> bool:
        """Return whether a round against the clock is over at a time."""
        return self.ends is not None and (at >= self.ends or self.mistakes >= MOST_MISTAKES)
