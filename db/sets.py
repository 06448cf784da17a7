"""Training sets: their puzzles, and the missed opportunities to which the puzzles belong.

Ids of puzzles and opportunities of analysed games go in; the puzzles of a set, in its order, and the number
of due puzzles come out. Times are UTC.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import (
    ColumnElement,
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
)
from sqlalchemy.orm import Mapped, Session, joinedload, mapped_column

from chess_motif.errors import InputError
from chess_motif.text import clean, clean_name, did_you_mean
from db.analyses import AnalysedGame, Opportunity
from db.attempts import Card
from db.days import end_of_day
from db.games import is_named
from db.models import Base, Game, Puzzle, utc_now
from db.store import insert_new


class TrainingSet(Base, kw_only=True):
    """A named list of puzzles for `solver`, a person or a group (empty: anyone), perhaps with a `title`.

    `level` is the rating of the solver, if known.
    """

    __tablename__ = "training_sets"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, init=False)
    name: Mapped[str] = mapped_column(unique=True)
    solver: Mapped[str]
    title: Mapped[str] = mapped_column(default="")
    level: Mapped[float | None] = mapped_column(default=None)
    created: Mapped[datetime] = mapped_column(default_factory=utc_now)

    @property
    def student(self) -> str:
        """The name for results unless somebody else solves the set: the solver's or else the set's."""
        return self.solver or self.name


class SetPuzzle(Base, kw_only=True):
    """A puzzle of a set, at a `place` from 1, and the missed opportunity to which it belongs, if any."""

    __tablename__ = "set_puzzles"

    set_number: Mapped[int] = mapped_column(ForeignKey("training_sets.number"), primary_key=True)
    puzzle_id: Mapped[str] = mapped_column(String(8), primary_key=True)
    place: Mapped[int]
    opportunity_number: Mapped[int | None] = mapped_column(ForeignKey("opportunities.number"), default=None)


class SetSummary(NamedTuple):
    """A training set: its name, its solver (empty: anyone), and its number of puzzles."""

    name: str
    solver: str
    puzzles: int

    @property
    def student(self) -> str:
        """The name for results, see `TrainingSet.student`."""
        return self.solver or self.name


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
    puzzles = select(func.count()).where(SetPuzzle.set_number == TrainingSet.number).scalar_subquery()
    columns = select(TrainingSet.name, TrainingSet.solver, puzzles)
    return [SetSummary(*row) for row in session.execute(columns.order_by(TrainingSet.name))]


def sets_for(session: Session, name: str) -> list[SetSummary]:
    """Return the set of this name, or else all sets for this solver. Raises `InputError` if there is none."""
    sets = all_sets(session)
    found = find_set(session, name)
    named = [each for each in sets if found and each.name == found.name]
    named = named or [each for each in sets if clean_name(each.solver) == clean_name(name)]
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
    """Return the puzzles of all sets of a student, see `TrainingSet.student`: set by set, in order."""
    has_name = (TrainingSet.solver == "") & (TrainingSet.name == student)
    return _entries(session, (TrainingSet.solver == student) | has_name)


def _entries(session: Session, of_sets: ColumnElement[bool]) -> list[SetEntry]:
    entries = (
        select(Puzzle, Opportunity)
        .join(SetPuzzle, SetPuzzle.puzzle_id == Puzzle.id)
        .join(TrainingSet, TrainingSet.number == SetPuzzle.set_number)
        .outerjoin(Opportunity, Opportunity.number == SetPuzzle.opportunity_number)
        # An inner join would leave out puzzles that a coach has added.
        .options(joinedload(Opportunity.game, innerjoin=False))
        .where(of_sets)
        .order_by(TrainingSet.name, SetPuzzle.place)
    )
    return [SetEntry(*row) for row in session.execute(entries)]


def find_entry(session: Session, solver: str, puzzle_id: str) -> SetEntry | None:
    """Return a puzzle with its missed opportunity, which is None if it has none in the sets of `solver`.

    Returns None for a puzzle that is not stored.
    """
    puzzle = session.scalar(select(Puzzle).where(Puzzle.id == puzzle_id))
    if puzzle is None:
        return None
    reasons = select(Opportunity).join(SetPuzzle).join(TrainingSet)
    is_solver = or_(TrainingSet.solver == solver, TrainingSet.name == solver)
    return SetEntry(
        puzzle, session.scalar(reasons.where(SetPuzzle.puzzle_id == puzzle_id, is_solver).limit(1))
    )


def create_set(session: Session, name: str, solver: str = "", title: str = "") -> TrainingSet:
    """Store an empty set for `solver` (empty: anyone). All names are cleaned by `clean_name`.

    Raises `InputError` if there is a set of this name, or if the cleaned name is empty.
    """
    name, solver, title = map(clean_name, (name, solver, title))
    if not name:
        raise InputError("a set needs a name")
    # Another process may be creating the same set.
    new = TrainingSet(name=name, solver=solver, title=title)
    if find_set(session, name) is not None or not insert_new(session, [new]):
        raise InputError(f"there is a training set {name!r} already")
    return get_set(session, name)


def extend_set(
    session: Session,
    name: str,
    solver: str,
    entries: Sequence[tuple[str, int | None]],
    level: float | None = None,
) -> None:
    """Add puzzles (id, and number of the missed opportunity, if any) at the end of a set.

    A new set is created for `solver`. A `level` replaces the set's level. Puzzles that are already in the set
    are left out.
    """
    name, solver = clean_name(name), clean_name(solver)
    if find_set(session, name) is None:
        insert_new(session, [TrainingSet(name=name, solver=solver)])
    found = get_set(session, name)
    # Other processes wait until this is committed.
    session.execute(select(TrainingSet.number).where(TrainingSet.number == found.number).with_for_update())
    known = set(session.scalars(select(SetPuzzle.puzzle_id).where(SetPuzzle.set_number == found.number)))
    new = [entry for entry in dict(entries).items() if entry[0] not in known]
    found.level = found.level if level is None else level
    last = select(func.max(SetPuzzle.place)).where(SetPuzzle.set_number == found.number)
    first = (session.scalar(last) or 0) + 1
    session.add_all(
        SetPuzzle(set_number=found.number, puzzle_id=puzzle_id, place=place, opportunity_number=opportunity)
        for place, (puzzle_id, opportunity) in enumerate(new, first)
    )


def place_set(session: Session, name: str, ids: Sequence[str]) -> None:
    """Put the puzzles of a set into the order of `ids`, and remove all others from the set.

    Raises `InputError`.
    """
    places = {puzzle_id: place for place, puzzle_id in enumerate(ids, 1)}
    of_set = select(SetPuzzle).where(SetPuzzle.set_number == get_set(session, name).number)
    for puzzle in session.scalars(of_set):
        if puzzle.puzzle_id in places:
            puzzle.place = places[puzzle.puzzle_id]
        else:
            session.delete(puzzle)


def delete_set(session: Session, name: str) -> None:
    """Delete a set, but not its puzzles and the attempts at them. Raises `InputError` for an unknown name."""
    number = get_set(session, name).number
    session.execute(delete(SetPuzzle).where(SetPuzzle.set_number == number))
    session.execute(delete(TrainingSet).where(TrainingSet.number == number))


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


def counts_of_sets(session: Session, solver: str, now: datetime) -> dict[str, SetCounts]:
    """Return the counts of each set that has puzzles, by its name. Deleted puzzles are left out.

    The attempts are those of the set's solver or, for a set for anyone, those of `solver`.
    """
    whose = case((TrainingSet.solver == "", solver), else_=TrainingSet.solver)
    is_due = case((Card.due < end_of_day(now), 1), else_=0)
    counts = (
        select(TrainingSet.name, func.count(Puzzle.id), func.count(Card.puzzle_id), func.sum(is_due))
        .join(SetPuzzle, SetPuzzle.set_number == TrainingSet.number)
        .join(Puzzle, Puzzle.id == SetPuzzle.puzzle_id)
        .outerjoin(Card, and_(Card.puzzle_id == Puzzle.id, Card.solver == whose))
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


def games_of_others(solver: str) -> Select[int]:
    """Return a query of the numbers of the analysed games that are not games of `solver`.

    A game is the solver's if a player's name has all words of the solver's name, or if a set for the solver
    has an opportunity of the game.
    """
    own = select(Opportunity.game_number).join(SetPuzzle).join(TrainingSet)
    is_played = or_(is_named(Game.white, solver), is_named(Game.black, solver))
    is_own = AnalysedGame.game_number.in_(own.where(TrainingSet.solver == solver))
    return select(AnalysedGame.game_number).join(Game).where(~is_played, ~is_own)
