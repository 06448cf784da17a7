"""What a student has solved: ratings over time, success by motif, what is due, and the last attempts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import hypot

from sqlalchemy import Integer, cast, func, select
from sqlalchemy.orm import Session

from chess_motif.intervals import Interval, share_interval
from db.attempts import Attempt, due_dates
from db.days import days_between
from db.models import in_utc, utc_now
from motifsearch.trainer.rating import Rating, motif_ratings
from puzzlegen.motifs.tags import has_motif

# Attempts of this time say how strong a student is in a motif now.
RECENT = timedelta(days=90)

# The fewest attempts that say something about a motif: with four, the interval is 70 points wide or more.
LEAST_TRIES = 5

LAST = 50

# Rated puzzles that find the level of somebody new. Their ratings are no beginning to compare with.
FINDING = 10

# How many points a rating over time has at most: one for each width of a line.
MOST_POINTS = 60


@dataclass(frozen=True)
class MotifProgress:
    """How a student does in a main motif: of `tries` first attempts, so many were `right` at once."""

    motif: str
    tries: int
    right: int
    rating: Rating | None

    @property
    def share(self) -> Interval:
        """The share solved at once, with its 95 % interval."""
        return share_interval(self.right / self.tries, self.tries)


def motifs_of(session: Session, student: str, at: datetime | None = None) -> list[MotifProgress]:
    """Return how a student did in each main motif lately, weak first, and those with few tries last.

    What is won, and mate without a pattern, is no motif.
    """
    since = (at or utc_now()) - RECENT
    right = func.sum(cast(Attempt.right & ~Attempt.hinted, Integer))
    rated = select(Attempt.motif, func.count(), right).where(
        Attempt.solver == student, Attempt.rating.is_not(None), Attempt.at >= since
    )
    ratings = motif_ratings(session, student)
    found = [
        MotifProgress(motif, tries, right, ratings.get(motif))
        for motif, tries, right in session.execute(rated.group_by(Attempt.motif))
        if has_motif([motif])
    ]
    return sorted(found, key=lambda one: (one.tries < LEAST_TRIES, one.right / one.tries, one.motif))


@dataclass(frozen=True)
class Point:
    """The rating of a student after an attempt."""

    at: datetime
    rating: float
    deviation: float


@dataclass(frozen=True)
class Progress:
    """What a student has solved.

    `points` are ratings over time, of which the last is her rating now. `due` counts the reviews by days from
    today on. `last` are the last attempts, newest first. Of all `tries`, so many were `right` at once.
    """

    points: Sequence[Point]
    motifs: Sequence[MotifProgress]
    due: Counter[int]
    last: Sequence[Attempt]
    tries: int
    right: int

    @property
    def change(self) -> float:
        """How much the rating has changed since the first point."""
        return self.points[-1].rating - self.points[0].rating

    @property
    def is_certain(self) -> bool:
        """Whether the change is larger than chance: the intervals of first and last do not contain it."""
        first, last = self.points[0], self.points[-1]
        return abs(self.change) > 2 * hypot(first.deviation, last.deviation)

    def due_within(self, days: int) -> int:
        """Return how many reviews are due within some days."""
        return sum(count for day, count in self.due.items() if day < days)


def progress_of(session: Session, student: str, at: datetime | None = None) -> Progress:
    """Return what a student has solved until a time (default: now)."""
    at = at or utc_now()
    rated = select(Attempt.at, Attempt.rating, Attempt.deviation).where(
        Attempt.solver == student, Attempt.rating.is_not(None)
    )
    points = [
        Point(in_utc(when), rating or 0.0, deviation or 0.0)
        for when, rating, deviation in session.execute(rated.order_by(Attempt.number))
    ]
    right = select(func.count()).where(
        Attempt.solver == student, Attempt.rating.is_not(None), Attempt.right, ~Attempt.hinted
    )
    last = select(Attempt).where(Attempt.solver == student).order_by(Attempt.number.desc()).limit(LAST)
    due = Counter(max(0, days_between(at, date)) for date in due_dates(session, student).values())
    return Progress(
        _thinned(points),
        motifs_of(session, student, at),
        due,
        session.scalars(last).all(),
        len(points),
        session.scalar(right) or 0,
    )


def _thinned(points: Sequence[Point]) -> list[Point]:
    """Return at most `MOST_POINTS` points, with the last one, from where the level was found if it was."""
    points = points[FINDING:] if len(points) > 2 * FINDING else points
    step = max(1, -(-len(points) // MOST_POINTS))
    return list(points[::-1][::step][::-1])
