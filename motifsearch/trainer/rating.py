"""How strong a student is: Glicko-2 (Glickman, http://www.glicko.net/glicko/glicko2.pdf).

The first attempt at a puzzle is a game against it, and each game is a rating period of its own. Ratings are
on the scale of Lichess' puzzles: a student solves every second puzzle of her own rating at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

from glicko2.math import E, mu_to_rating, phi_to_rd, rating_to_mu, rd_to_phi, update_rating
from sqlalchemy import select
from sqlalchemy.orm import Session

from chess_motif.parallel import chunks_of
from db.attempts import Attempt, StudentRating, all_students, has_tried, lock_student
from db.models import Puzzle, in_utc
from db.puzzles import get_puzzles
from db.store import Store, get_fact, set_fact
from puzzlegen.motifs.tags import main_motif

# What a student begins with. With a smaller deviation, it takes longer to find a rating far from 1500: at
# 2400, the mean error after 50 puzzles is 87 points with 500, and 124 with 350. With a volatility of 0.06,
# the error after 300 puzzles is 37 points; with the 0.09 of Lichess it is 45, but 50 puzzles after a sudden
# rise of 200 points it is 57 instead of 74.
START, START_DEVIATION, VOLATILITY = 1500.0, 500.0, 0.06

# How much the volatility may change. With periods of one game, no value between 0 and 0.75 changes anything.
TAU = 0.5

# Rating periods a day, as on Lichess: who pauses for a year begins with a deviation of 112 instead of 63.
PERIODS_A_DAY = 0.21436

# The deviation of a puzzle's rating where its source does not say it: the median of Lichess' puzzles.
UNKNOWN_DEVIATION = 76.0

# Four of five puzzles are within the margin of an estimate, if its errors have a normal distribution.
MARGIN = 1.2816

# Raise it whenever anything here changes: stored attempts are then rated again.
RULES = "1"
RULES_FACT = "rating_rules"

ALL = ""
"""The motif of the rating for all puzzles."""


@dataclass(frozen=True)
class Rating:
    """A rating with its deviation, both in points, and its volatility. Two deviations are a 95 % interval."""

    value: float = START
    deviation: float = START_DEVIATION
    volatility: float = VOLATILITY

    @property
    def interval(self) -> tuple[int, int]:
        """The interval in which the true strength is with 95 % certainty."""
        return round(self.value - 2 * self.deviation), round(self.value + 2 * self.deviation)

    def rested(self, days: float) -> Rating:
        """Return the rating some days later: it is less certain."""
        phi = hypot(rd_to_phi(self.deviation), self.volatility * (PERIODS_A_DAY * max(0.0, days)) ** 0.5)
        return Rating(self.value, min(phi_to_rd(phi), START_DEVIATION), self.volatility)

    def after(self, opponent: Rating, score: float) -> Rating:
        """Return the rating after a puzzle that was solved (1), with a hint (0.5), or not (0)."""
        game = (rating_to_mu(opponent.value), rd_to_phi(opponent.deviation), score)
        mu, phi = rating_to_mu(self.value), rd_to_phi(self.deviation)
        new = update_rating(mu, phi, self.volatility, [game], TAU)
        return Rating(mu_to_rating(new.mu), phi_to_rd(new.phi), new.sigma)

    def expected(self, opponent: Rating) -> float:
        """Return how probable it is (0…1) that a puzzle is solved."""
        return E(rating_to_mu(self.value), rating_to_mu(opponent.value), rd_to_phi(opponent.deviation))


def rating_of_puzzle(puzzle: Puzzle) -> Rating | None:
    """Return the rating of a puzzle: that of its source or else our estimate; None if there is neither."""
    if puzzle.rating is not None:
        return Rating(puzzle.rating, puzzle.rating_deviation or UNKNOWN_DEVIATION)
    if puzzle.difficulty is None:
        return None
    return Rating(puzzle.difficulty, max((puzzle.difficulty_margin or 0.0) / MARGIN, UNKNOWN_DEVIATION))


def rating_of(session: Session, student: str, motif: str = ALL) -> Rating | None:
    """Return the rating of a student after her last attempt, None if she has none."""
    stored = session.get(StudentRating, (student, motif))
    return None if stored is None else Rating(stored.rating, stored.deviation, stored.volatility)


def motif_ratings(session: Session, student: str) -> dict[str, Rating]:
    """Return the ratings of a student in each main motif that she has tried."""
    stored = select(StudentRating).where(StudentRating.student == student, StudentRating.motif != ALL)
    return {
        each.motif: Rating(each.rating, each.deviation, each.volatility) for each in session.scalars(stored)
    }


def rate(session: Session, attempt: Attempt, puzzle: Puzzle) -> None:
    """Rate an attempt, not stored yet, if it is the first one at its puzzle and not against the clock."""
    attempt.motif = main_motif(puzzle.all_tags()) or ""
    if attempt.on_clock or has_tried(session, attempt.solver, attempt.puzzle_id):
        return
    known = {motif: session.get(StudentRating, (attempt.solver, motif)) for motif in {ALL, attempt.motif}}
    for stored in _rated(attempt, puzzle, {motif: one for motif, one in known.items() if one}):
        session.add(stored)


def _rated(attempt: Attempt, puzzle: Puzzle, known: dict[str, StudentRating]) -> list[StudentRating]:
    """Enter the rating into a first attempt; return the ratings that change. `known` has those before."""
    opponent = rating_of_puzzle(puzzle)
    if opponent is None:
        return []
    score = 0.0 if not attempt.right else 0.5 if attempt.hinted else 1.0
    changed = []
    for motif in dict.fromkeys((ALL, attempt.motif)):
        stored, before = known.get(motif), Rating()
        if stored is not None:
            days = (in_utc(attempt.at) - in_utc(stored.at)).total_seconds() / 86_400
            before = Rating(stored.rating, stored.deviation, stored.volatility).rested(days)
        after = before.after(opponent, score)
        if stored is None:
            stored = StudentRating(
                student=attempt.solver, motif=motif, rating=0, deviation=0, volatility=0, at=attempt.at
            )
        stored.rating, stored.deviation, stored.volatility = after.value, after.deviation, after.volatility
        stored.at = attempt.at
        changed.append(stored)
        if motif == ALL:
            attempt.level, attempt.rating, attempt.deviation = opponent.value, after.value, after.deviation
    return changed


def keep_ratings(store: Store) -> None:
    """Rate all stored attempts again if they were rated by other rules, or before there were ratings."""
    if store.read_only:
        return
    with store.reading() as session:
        if get_fact(session, RULES_FACT) == RULES:
            return
        students = all_students(session)
    for student in students:
        with store.session() as session:
            rate_again(session, student)
    with store.session() as session:
        set_fact(session, RULES_FACT, RULES)


def rate_again(session: Session, student: str) -> None:
    """Rate the attempts of a student again. Those at puzzles that were deleted are not rated."""
    lock_student(session, student)
    for stored in session.scalars(select(StudentRating).where(StudentRating.student == student)):
        session.delete(stored)
    session.flush()
    attempts = list(
        session.scalars(select(Attempt).where(Attempt.solver == student).order_by(Attempt.at, Attempt.number))
    )
    known: dict[str, StudentRating] = {}
    seen = set[str]()
    for some in chunks_of(attempts, 500):
        puzzles = get_puzzles(session, [attempt.puzzle_id for attempt in some])
        for attempt in some:
            attempt.level = attempt.rating = attempt.deviation = None
            puzzle = puzzles.get(attempt.puzzle_id)
            if puzzle is not None:
                attempt.motif = main_motif(puzzle.all_tags()) or ""
                if not attempt.on_clock and attempt.puzzle_id not in seen:
                    known |= {stored.motif: stored for stored in _rated(attempt, puzzle, known)}
            seen.add(attempt.puzzle_id)
    session.add_all(known.values())
