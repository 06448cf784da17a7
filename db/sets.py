"""Training sets: their puzzles, and the missed opportunities to which the puzzles belong.

Ids of puzzles and opportunities of analysed games go in; the puzzles of a set, in its order, and the number
of due puzzles come out. Removed puzzles can be put back for some minutes. Times are UTC.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from sqlalchemy import (
    ColumnElement,
    Date,
    ForeignKey,
    Integer,
    Select,
    String,
    and_,
    case,
    delete,
    func,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.orm import Mapped, Session, joinedload, mapped_column, relationship

from chess_motif.errors import InputError
from chess_motif.text import clean, clean_name, did_you_mean
from db.analyses import AnalysedGame, Opportunity
from db.attempts import Card, Round, all_students, rename_student
from db.days import end_of_day
from db.games import is_named
from db.models import Base, Checked, Game, Puzzle, utc_now
from db.store import insert_new

# How long what was taken out of a set can be put back.
UNDO = timedelta(minutes=10)


class SetStudent(Base, kw_only=True):
    """A student of a set: a person, or a group with one name."""

    __tablename__ = "set_students"

    set_number: Mapped[int] = mapped_column(ForeignKey("training_sets.number"), primary_key=True, init=False)
    student: Mapped[str] = mapped_column(primary_key=True)


class TrainingSet(Base, kw_only=True):
    """A named list of puzzles for its `students` (none: for anyone). A `title` and a due date are optional.

    `level` is the rating of the student, if known.
    """

    __tablename__ = "training_sets"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, init=False)
    name: Mapped[str] = mapped_column(unique=True)
    title: Mapped[str] = mapped_column(default="")
    level: Mapped[float | None] = mapped_column(default=None)
    created: Mapped[datetime] = mapped_column(default_factory=utc_now)
    due_on: Mapped[date | None] = mapped_column(Checked(Date(), date), default=None)

    members: Mapped[list[SetStudent]] = relationship(
        lazy="selectin", cascade="all, delete-orphan", order_by=SetStudent.student, default_factory=list
    )

    @property
    def students(self) -> tuple[str, ...]:
        """The names of its students, sorted; empty if it is for anyone."""
        return tuple(sorted(each.student for each in self.members))

    @property
    def whom(self) -> tuple[str, ...]:
        """The names for results unless somebody else solves the set: its students, or else its own name."""
        return self.students or (self.name,)


class SetPuzzle(Base, kw_only=True):
    """A puzzle of a set, at a `place` from 1, and the missed opportunity to which it belongs, if any.

    `removed` is the time at which it was removed. It keeps its place as long as it can be put back.
    """

    __tablename__ = "set_puzzles"

    set_number: Mapped[int] = mapped_column(ForeignKey("training_sets.number"), primary_key=True)
    puzzle_id: Mapped[str] = mapped_column(String(8), primary_key=True)
    place: Mapped[int]
    opportunity_number: Mapped[int | None] = mapped_column(ForeignKey("opportunities.number"), default=None)
    removed: Mapped[datetime | None] = mapped_column(default=None)


IS_IN = SetPuzzle.removed.is_(None)


class SetSummary(NamedTuple):
    """A training set: its name, its students (empty: anyone), its number of puzzles, and its due date."""

    name: str
    students: tuple[str, ...]
    puzzles: int
    due_on: date | None = None

    @property
    def whom(self) -> tuple[str, ...]:
        """The names for results, see `TrainingSet.whom`."""
        return self.students or (self.name,)


class SetEntry(NamedTuple):
    """A puzzle of a set with its missed opportunity, which is None if a coach has added the puzzle."""

    puzzle: Puzzle
    opportunity: Opportunity | None = None

    @property
    def is_own(self) -> bool:
        """Whether the puzzle is the missed opportunity itself, not a similar one."""
        return self.opportunity is not None and self.puzzle.id == self.opportunity.puzzle_id


def all_sets(session: Session) -> list[SetSummary]:
    """Return all sets, by name."""
    return _summaries(session, true())


def set_names(session: Session) -> list[str]:
    """Return the names of all sets."""
    return list(session.scalars(select(TrainingSet.name).order_by(TrainingSet.name)))


def homework(session: Session, student: str) -> list[SetSummary]:
    """Return the sets for this student, without those for anyone, by due date."""
    found = _summaries(session, TrainingSet.members.any(SetStudent.student == student))
    return sorted(found, key=lambda each: each.due_on or date.max)


def _summaries(session: Session, condition: ColumnElement[bool]) -> list[SetSummary]:
    puzzles = select(func.count()).where(SetPuzzle.set_number == TrainingSet.number, IS_IN).scalar_subquery()
    rows = session.execute(select(TrainingSet, puzzles).where(condition).order_by(TrainingSet.name))
    return [SetSummary(each.name, each.students, count, each.due_on) for each, count in rows]


def students_of_sets(session: Session) -> list[str]:
    """Return the students of all sets."""
    return list(session.scalars(select(SetStudent.student).distinct()))


def sets_for(session: Session, name: str) -> list[SetSummary]:
    """Return the set of this name, or else all sets of this student. Raises `InputError` without any."""
    sets = all_sets(session)
    found = find_set(session, name)
    named = [each for each in sets if found and each.name == found.name]
    named = named or [each for each in sets if clean_name(name) in map(clean_name, each.students)]
    if not named:
        raise _unknown(session, name)
    return named


def find_set(session: Session, name: str) -> TrainingSet | None:
    """Return the set of this name, None if there is none."""
    cleaned = clean_name(name)
    for spelling in (clean(name), cleaned):
        if found := session.scalar(select(TrainingSet).where(TrainingSet.name == spelling)):
            return found
    # Earlier versions stored names with invisible characters, which nobody can type.
    names = session.execute(select(TrainingSet.number, TrainingSet.name))
    number = next((number for number, stored in names if clean_name(stored) == cleaned), None)
    return None if number is None else session.get(TrainingSet, number)


def get_set(session: Session, name: str) -> TrainingSet:
    """Return the set of this name. Raises `InputError` if there is none."""
    found = find_set(session, name)
    if found is None:
        raise _unknown(session, name)
    return found


def set_entries(session: Session, name: str) -> list[SetEntry]:
    """Return the puzzles of a set in order. Deleted puzzles are left out. Raises `InputError`."""
    return _entries(session, TrainingSet.number == get_set(session, name).number)


def entries_for(session: Session, student: str) -> list[SetEntry]:
    """Return the puzzles of all sets of a student, see `TrainingSet.whom`: set by set, in order."""
    return _entries(session, _is_for(student))


def _is_for(student: str) -> ColumnElement[bool]:
    is_named = (TrainingSet.name == student) & ~TrainingSet.members.any()
    return TrainingSet.members.any(SetStudent.student == student) | is_named


def _entries(session: Session, of_sets: ColumnElement[bool]) -> list[SetEntry]:
    entries = (
        select(Puzzle, Opportunity)
        .join(SetPuzzle, SetPuzzle.puzzle_id == Puzzle.id)
        .join(TrainingSet, TrainingSet.number == SetPuzzle.set_number)
        .outerjoin(Opportunity, Opportunity.number == SetPuzzle.opportunity_number)
        # An inner join would leave out puzzles that a coach has added.
        .options(joinedload(Opportunity.game, innerjoin=False))
        .where(of_sets, IS_IN)
        .order_by(TrainingSet.name, SetPuzzle.place)
    )
    return [SetEntry(*row) for row in session.execute(entries)]


def find_entry(session: Session, student: str, puzzle_id: str) -> SetEntry | None:
    """Return a puzzle with its missed opportunity, which is None if it has none in the sets of `student`.

    Returns None for a puzzle that is not stored.
    """
    puzzle = session.scalar(select(Puzzle).where(Puzzle.id == puzzle_id))
    if puzzle is None:
        return None
    reasons = select(Opportunity).join(SetPuzzle).join(TrainingSet)
    of_puzzle = reasons.where(SetPuzzle.puzzle_id == puzzle_id, _is_for(student))
    return SetEntry(puzzle, session.scalar(of_puzzle.limit(1)))


def create_set(
    session: Session, name: str, *students: str, title: str = "", due_on: date | None = None
) -> TrainingSet:
    """Store an empty set for some students (none: for anyone). All names are cleaned by `clean_name`.

    Raises `InputError` if there is a set of this name, or if the cleaned name is empty.
    """
    name = _free_name(session, name)
    # Another process may be creating the same set.
    if not insert_new(session, [TrainingSet(name=name, title=clean_name(title), due_on=due_on)]):
        raise _taken(name)
    found = get_set(session, name)
    found.members = _members(students)
    return found


def _free_name(session: Session, name: str) -> str:
    name = clean_name(name)
    if not name:
        raise InputError("a set needs a name")
    if find_set(session, name) is not None:
        raise _taken(name)
    return name


def _taken(name: str) -> InputError:
    return InputError(f"there is a training set {name!r} already")


def _members(students: Iterable[str]) -> list[SetStudent]:
    return [SetStudent(student=each) for each in {clean_name(each) for each in students} if each]


def change_set(
    session: Session, name: str, new_name: str, *, title: str = "", due_on: date | None = None
) -> None:
    """Change the name of a set, its title and its due date. Its rounds, and results under its name, follow.

    Raises as `create_set`, and `InputError` if there are results under both names.
    """
    found = get_set(session, name)
    if clean_name(new_name) != found.name:
        before, found.name = found.name, _free_name(session, new_name)
        session.execute(update(Round).where(Round.set_name == before).values(set_name=found.name))
        tried = all_students(session)
        if not found.members and before in tried and before not in students_of_sets(session):
            if found.name in tried:
                raise InputError(f"somebody called {found.name!r} has solved puzzles already")
            rename_student(session, before, found.name)
    found.title, found.due_on = clean_name(title), due_on


def add_student(session: Session, name: str, student: str) -> str:
    """Add a student to a set; return the name as it is stored. Raises `InputError`."""
    found, student = get_set(session, name), clean_name(student)
    if not student:
        raise InputError("a student needs a name")
    if student not in found.students:
        found.members += _members([student])
    return student


def remove_student(session: Session, name: str, student: str) -> None:
    """Remove a student from a set. The results stay. Raises `InputError`."""
    found = get_set(session, name)
    found.members = [each for each in found.members if each.student != student]


def extend_set(
    session: Session,
    name: str,
    student: str,
    entries: Sequence[tuple[str, int | None]],
    level: float | None = None,
) -> None:
    """Add puzzles (id, and number of the missed opportunity, if any) at the end of a set.

    A new set is created for `student` (empty: for anyone). A `level` replaces the set's level. Puzzles that
    are already in the set are left out.
    """
    name = clean_name(name)
    is_new = find_set(session, name) is None and insert_new(session, [TrainingSet(name=name)])
    found = _changing(session, name)
    if is_new:
        found.members = _members([student])
    of_set = SetPuzzle.set_number == found.number
    # Removed puzzles are added at the end, as new ones are.
    again = SetPuzzle.puzzle_id.in_(dict(entries))
    session.execute(delete(SetPuzzle).where(of_set, SetPuzzle.removed.is_not(None), again))
    known = set(session.scalars(select(SetPuzzle.puzzle_id).where(of_set)))
    new = [entry for entry in dict(entries).items() if entry[0] not in known]
    found.level = found.level if level is None else level
    last = select(func.max(SetPuzzle.place)).where(of_set, IS_IN)
    first = (session.scalar(last) or 0) + 1
    session.add_all(
        SetPuzzle(set_number=found.number, puzzle_id=puzzle_id, place=place, opportunity_number=opportunity)
        for place, (puzzle_id, opportunity) in enumerate(new, first)
    )


def place_set(session: Session, name: str, ids: Sequence[str]) -> None:
    """Put the puzzles of a set into the order of `ids`, and remove all others from the set.

    For some minutes, `undo_removal` puts them back. Raises `InputError`.
    """
    now, places = utc_now(), {puzzle_id: place for place, puzzle_id in enumerate(ids, 1)}
    of_set = SetPuzzle.set_number == _changing(session, name).number
    session.execute(delete(SetPuzzle).where(of_set, SetPuzzle.removed < now - UNDO))
    for puzzle in session.scalars(select(SetPuzzle).where(of_set)):
        if puzzle.puzzle_id in places:
            puzzle.place, puzzle.removed = places[puzzle.puzzle_id], None
        elif puzzle.removed is None:
            puzzle.removed = now


def _changing(session: Session, name: str) -> TrainingSet:
    """Return a set that other processes cannot change until this is committed."""
    found = get_set(session, name)
    session.execute(select(TrainingSet.number).where(TrainingSet.number == found.number).with_for_update())
    return found


def move_in_set(session: Session, name: str, puzzle_id: str, place: int) -> None:
    """Move a puzzle to a place of its set (from 1). Raises `InputError` if it is not in it."""
    _changing(session, name)
    ids = [entry.puzzle.id for entry in set_entries(session, name)]
    if puzzle_id not in ids:
        raise InputError(f"the puzzle {puzzle_id!r} is not in the set {name!r}")
    ids.remove(puzzle_id)
    ids.insert(max(0, place - 1), puzzle_id)
    place_set(session, name, ids)


def just_removed(session: Session, name: str) -> list[tuple[int, Puzzle]]:
    """Return the puzzles that were removed last, with their places, if they can still be put back."""
    of_set = SetPuzzle.set_number == get_set(session, name).number
    out = (
        select(SetPuzzle.removed, SetPuzzle.place, Puzzle)
        .join(Puzzle, Puzzle.id == SetPuzzle.puzzle_id)
        .where(of_set, SetPuzzle.removed >= utc_now() - UNDO)
        .order_by(SetPuzzle.removed.desc(), SetPuzzle.place)
    )
    rows = session.execute(out).all()
    return [(place, puzzle) for removed, place, puzzle in rows if removed == rows[0][0]]


def undo_removal(session: Session, name: str) -> list[str]:
    """Put the puzzles that were removed last back into their places; return the ids.

    Raises `InputError` if no puzzle was removed in the last minutes.
    """
    _changing(session, name)
    back = just_removed(session, name)
    if not back:
        minutes = UNDO.total_seconds() / 60
        raise InputError(f"nothing was taken out of the set {name!r} in the last {minutes:.0f} minutes")
    ids = [entry.puzzle.id for entry in set_entries(session, name)]
    for place, puzzle in back:
        ids.insert(place - 1, puzzle.id)
    place_set(session, name, ids)
    return [puzzle.id for _, puzzle in back]


def delete_set(session: Session, name: str) -> None:
    """Delete a set, but not its puzzles and the attempts at them. Raises `InputError` for an unknown name."""
    found = get_set(session, name)
    session.execute(delete(SetPuzzle).where(SetPuzzle.set_number == found.number))
    session.delete(found)
    session.flush()


def _unknown(session: Session, name: str) -> InputError:
    known = session.scalars(select(TrainingSet.name)).all()
    return InputError(
        f"no training set {name!r}{did_you_mean(name, known)}; 'motifsearch sets list' shows them"
    )


class SetCounts(NamedTuple):
    """How many puzzles a set has, how many were tried, and how many of the tried ones are due today."""

    puzzles: int
    tried: int
    due: int


def counts_of_sets(session: Session, student: str, now: datetime) -> dict[str, SetCounts]:
    """Return the counts of each set of a student, by name; without empty sets and deleted puzzles."""
    is_due = case((Card.due < end_of_day(now), 1), else_=0)
    counts = (
        select(TrainingSet.name, func.count(Puzzle.id), func.count(Card.puzzle_id), func.sum(is_due))
        .join(SetPuzzle, and_(SetPuzzle.set_number == TrainingSet.number, IS_IN))
        .join(Puzzle, Puzzle.id == SetPuzzle.puzzle_id)
        .outerjoin(Card, and_(Card.puzzle_id == Puzzle.id, Card.solver == student))
        .where(TrainingSet.members.any(SetStudent.student == student))
        .group_by(TrainingSet.name)
    )
    return {name: SetCounts(*numbers) for name, *numbers in session.execute(counts)}


def keep_analysis(session: Session, game: AnalysedGame, opportunities: Sequence[Opportunity]) -> None:
    """Store the opportunities of a game in place of those of an earlier analysis.

    A known opportunity keeps its number, by which training sets refer to it.
    """
    session.merge(game)
    stored = select(Opportunity).where(Opportunity.game_number == game.game_number)
    numbers = {opportunity.ply: opportunity.number for opportunity in session.scalars(stored)}
    for opportunity in opportunities:
        opportunity.game_number = game.game_number
        if opportunity.ply in numbers:
            opportunity.number = numbers.pop(opportunity.ply)
        session.merge(opportunity)
    for model, number in ((SetPuzzle, SetPuzzle.opportunity_number), (Opportunity, Opportunity.number)):
        session.execute(delete(model).where(number.in_(numbers.values())))


def games_of_others(student: str) -> Select[int]:
    """Return a query of the numbers of the analysed games that are not games of `student`.

    A game is the student's if a player's name has all words of the student's name, or if a set for the
    student has an opportunity of the game.
    """
    own = select(Opportunity.game_number).join(SetPuzzle).join(TrainingSet)
    is_played = or_(is_named(Game.white, student), is_named(Game.black, student))
    is_own = AnalysedGame.game_number.in_(own.where(TrainingSet.members.any(SetStudent.student == student)))
    return select(AnalysedGame.game_number).join(Game).where(~is_played, ~is_own)
