"""Practice: which puzzle comes next for a student, among those of a level, a motif, an opening and others.

It is chosen for an expected success, by an index: a random place among the puzzles of the wanted levels is
looked up, and the next puzzle that fits is taken. That takes as long among a million as among a thousand. Of
a rare opening, the puzzle that is nearest in level is taken.
"""

from __future__ import annotations

import random
import string
from collections import Counter
from collections.abc import Collection
from enum import StrEnum
from math import log10

from pydantic import BaseModel, ValidationError
from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from db.attempts import Attempt, Student, lock_student, tried_by
from db.models import Puzzle
from db.openings import few_in_opening
from db.puzzles import ID_LENGTH, PuzzleFilter, filtered
from motifsearch.search import visible_to
from motifsearch.trainer.rating import Rating, motif_ratings, rating_of
from puzzlegen.motifs.tags import has_motif

# The share of puzzles that a student is expected to solve at once. At seven of ten, most are solved and each
# says something: a rating is found almost as fast as at one of two (see docs/how-it-works/rating.md), and who
# fails more often than every third time gives up.
SUCCESS = 0.7
EASIER, HARDER = 0.85, 0.5
ON_THE_CLOCK = 0.9

# Points of rating around the wanted level that a puzzle may be easier or harder.
SPREAD = 100

# No puzzle is harder.
HIGHEST = 4000

# Where nothing fits, levels so much farther away are tried, one after the other.
WIDER = (0, 200, 600, 3000)

# The share of mixed puzzles whose motif is weak, or was missed in the last attempts. The others may have any,
# so that nobody knows what to look for.
WEAK = 0.5
LAST = 50

CHANCE = random.Random()


class Level(StrEnum):
    """How hard puzzles are, compared with the rating of the student."""

    EASIER = "easier"
    OWN = "own"
    HARDER = "harder"
    RANGE = "range"


class Practice(BaseModel):
    """What a student practises: a level or, with `Level.RANGE`, ratings from `low` to `high`, and what else.

    `motif` and `phase` are tags, `length` is the number of moves to find (4 stands for more, too); empty or
    None means any. With `unseen`, no puzzle comes that was tried before. `on_clock` asks for easy ones.
    """

    level: Level = Level.OWN
    low: int | None = None
    high: int | None = None
    motif: str = ""
    opening: str = ""
    phase: str = ""
    length: int | None = None
    unseen: bool = True
    on_clock: bool = False

    @classmethod
    def at(cls, level: str) -> Practice:
        """Return practice at a level. Raises `ValueError` for a name that is none."""
        return cls(level=Level(level))

    def levels(self, rating: float) -> tuple[float, float]:
        """Return the lowest and the highest level that is wanted for a student of a rating."""
        if self.level is Level.RANGE:
            low, high = sorted((self.low or 0, HIGHEST if self.high is None else self.high))
            return float(low), float(high)
        success = {Level.EASIER: EASIER, Level.OWN: SUCCESS, Level.HARDER: HARDER}[self.level]
        middle = rating - points_for(ON_THE_CLOCK if self.on_clock else success)
        return middle - SPREAD, middle + SPREAD

    def filters(self, student: str, motif: str) -> PuzzleFilter:
        """Return what the database has to filter, apart from the level."""
        longest = None if self.length == LONGEST else self.length
        filters = PuzzleFilter(
            tags=tuple(filter(None, (motif, self.phase))),
            moves=(self.length, longest),
            sound=True,
            opening=self.opening or None,
        )
        return visible_to(student, filters)


# Four moves to find, or more.
LONGEST = 4


def points_for(success: float) -> float:
    """Return how many points a rating is above the level of puzzles of which this share (0…1) is solved."""
    return 400 * log10(success / (1 - success))


def practice_of(session: Session, student: str) -> Practice:
    """Return what a student has set for practice."""
    stored = session.get(Student, student)
    try:
        return Practice() if stored is None else Practice.model_validate(stored.practice or {})
    except ValidationError:
        return Practice()


def keep_practice(session: Session, student: str, practice: Practice) -> None:
    """Store what a student has set for practice."""
    lock_student(session, student)
    session.get_one(Student, student).practice = practice.model_dump(mode="json")


def next_puzzle(
    session: Session,
    student: str,
    practice: Practice,
    left_out: Collection[str] = (),
    chance: random.Random = CHANCE,
) -> Puzzle | None:
    """Return a puzzle for a student, not one of those with the ids `left_out`; None if there is no other.

    A puzzle whose level is not known only comes if there is none whose level is.
    """
    rating = rating_of(session, student) or Rating()
    low, high = practice.levels(rating.value)
    if practice.opening and (few := few_in_opening(session, practice.opening)) is not None:
        rest = practice.model_copy(update={"opening": ""})
        fitting = _fitting(session, student, rest, practice.motif, left_out).where(Puzzle.id.in_(few))
        if practice.level is Level.RANGE:
            fitting = fitting.where(Puzzle.level.between(low, high))
        distance = func.abs(Puzzle.level - chance.uniform(low, high))
        return _first(session, fitting.order_by(distance.nulls_last()))
    motif = practice.motif or (_weak_motif(session, student, rating, chance) if not practice.on_clock else "")
    name = "".join(chance.choices(_LETTERS, k=ID_LENGTH))
    for wider in WIDER if practice.level is not Level.RANGE else WIDER[:1]:
        level = float(chance.randint(round(low - wider), round(high + wider)))
        # Not compared as rows: the index would not be used.
        up = (Puzzle.level >= level) & ((Puzzle.level > level) | (Puzzle.id >= name))
        down = (Puzzle.level <= level) & ((Puzzle.level < level) | (Puzzle.id < name))
        for wanted in dict.fromkeys((motif, practice.motif)):
            fitting = _fitting(session, student, practice, wanted, left_out)
            for found in (
                fitting.where(up, Puzzle.level <= high + wider).order_by(Puzzle.level, Puzzle.id),
                fitting.where(down, Puzzle.level >= low - wider).order_by(
                    Puzzle.level.desc(), Puzzle.id.desc()
                ),
            ):
                if puzzle := _first(session, found):
                    return puzzle
    if practice.level is Level.RANGE:
        return None
    unknown = _fitting(session, student, practice, practice.motif, left_out).where(Puzzle.level.is_(None))
    others = unknown.where(Puzzle.id < name).order_by(Puzzle.id.desc())
    return _first(session, unknown.where(Puzzle.id >= name).order_by(Puzzle.id)) or _first(session, others)


def _fitting(
    session: Session, student: str, practice: Practice, motif: str, left_out: Collection[str]
) -> Select[Puzzle]:
    """Return the query of the puzzles that may come, whatever their level."""
    fitting = filtered(session, select(Puzzle), practice.filters(student, motif))
    fitting = fitting.where(Puzzle.id.not_in(left_out))
    return fitting.where(~tried_by(student)) if practice.unseen else fitting


def _first(session: Session, found: Select[Puzzle]) -> Puzzle | None:
    return session.scalars(found.limit(1)).first()


_LETTERS = string.digits + string.ascii_letters


def _weak_motif(session: Session, student: str, rating: Rating, chance: random.Random) -> str:
    """Return a motif that is weak or was missed lately, or none, so that anything may come."""
    weights = Counter[str]()
    for motif, each in motif_ratings(session, student).items():
        # A rating that is only less certain says nothing.
        below = rating.value - each.value - each.deviation
        weights[motif] += max(0, round(below / SPREAD))
    last = select(Attempt.motif, Attempt.right).where(Attempt.solver == student)
    for motif, right in session.execute(last.order_by(Attempt.number.desc()).limit(LAST)):
        weights[motif] += not right
    weak = {motif: weight for motif, weight in weights.items() if weight and has_motif([motif])}
    if not weak or chance.random() >= WEAK:
        return ""
    return chance.choices(list(weak), list(weak.values()))[0]
