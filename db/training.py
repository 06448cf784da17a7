"""What is stored of a player's training: her analysed games and opportunities, her sets, and what she solved.

Rows of analysed games go in; the opportunities of a player and the puzzles of her training sets come out.
Times are UTC.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple

import chess
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    ForeignKey,
    Integer,
    Select,
    String,
    UniqueConstraint,
    and_,
    case,
    delete,
    func,
    or_,
    select,
)
from sqlalchemy.orm import Mapped, Session, mapped_column, relationship

from chess_motif.errors import InputError, PositionError, StoreError
from chess_motif.material import Capture, capture_by
from chess_motif.notation import parse_line, parse_move, parse_position
from chess_motif.text import clean_name, did_you_mean, name_key
from db.days import end_of_day
from db.games import is_named, rows_with
from db.models import Base, Game, Puzzle, utc_now
from db.store import insert_new


class AnalysedGame(Base, kw_only=True):
    """A game whose opportunities are known, and how many `searches` and `nodes` that cost."""

    __tablename__ = "analysed_games"

    game_number: Mapped[int] = mapped_column(ForeignKey("games.number"), primary_key=True)
    run_number: Mapped[int] = mapped_column(ForeignKey("mining_runs.number"))
    searches: Mapped[int]
    nodes: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[datetime] = mapped_column(default_factory=utc_now)


class OpportunityKind(StrEnum):
    """What an opportunity is for the player to move."""

    WIN = "win"
    """She could win, or gain decisively."""
    SAVE = "save"
    """She could save a game that was lost."""
    ALLOWED = "allowed"
    """Her move allowed a tactic of the opponent's."""


# What became of an opportunity that was not taken, and of one that was.
RESULTS = {
    OpportunityKind.WIN: ("missed", "found"),
    OpportunityKind.SAVE: ("failed to save", "saved"),
    OpportunityKind.ALLOWED: ("allowed", "allowed"),
}


class Opportunity(Base, kw_only=True):
    """A turn in a game at which there was a tactic, and what the player to move made of it.

    `opportunity_kind` says which kind of tactic. `ply` counts the plies before the turn; `white` says whether
    White is to move. `fen` is the position before the opponent's last move, which is called `blunder` whether
    it is one or not, and `played` the reply to it. `taken` says whether that kept the win or saved the game;
    what was allowed is never taken. Win chances (-1…1) are those of the player to move: `before` the
    opponent's move, `after` it, and after the `reply`. `clock` are the seconds that this player had left,
    None if that is not known. `solution` (UCI) begins with the best move, and `allowed_line` (UCI) is the
    tactic that the move played allowed, which begins with the opponent's move. `puzzle_id` is the puzzle or
    exercise that was made of it, and `kind` says which; both are empty if there is none, and `reason` then
    says why. If a tactic was allowed, the puzzle begins after the move that was played, and asks for the
    tactic, or before it, and asks for the move that parries it.
    """

    __tablename__ = "opportunities"
    __table_args__ = (UniqueConstraint("game_number", "ply"),)

    number: Mapped[int] = mapped_column(Integer, primary_key=True, init=False)
    game_number: Mapped[int] = mapped_column(ForeignKey("games.number"), init=False)
    opportunity_kind: Mapped[str] = mapped_column(default=OpportunityKind.WIN.value)
    ply: Mapped[int]
    white: Mapped[bool]
    fen: Mapped[str]
    blunder: Mapped[str]
    solution: Mapped[str]
    allowed_line: Mapped[str] = mapped_column(default="")
    played: Mapped[str]
    taken: Mapped[bool]
    before: Mapped[float]
    after: Mapped[float]
    reply: Mapped[float]
    clock: Mapped[float | None] = mapped_column(default=None)
    tags: Mapped[str]
    puzzle_id: Mapped[str] = mapped_column(String(8), default="")
    kind: Mapped[str] = mapped_column(default="")
    reason: Mapped[str] = mapped_column(default="")

    game: Mapped[Game] = relationship(lazy="joined", innerjoin=True, init=False)

    def opponents_move(self) -> tuple[chess.Board, chess.Move]:
        """Return the position before the opponent's last move, and the move.

        Raises `StoreError` if they are damaged.
        """
        try:
            before = parse_position(self.fen)
            return before, parse_move(before, self.blunder)
        except PositionError as error:
            raise StoreError(f"the opportunity {self.number} is damaged in the database: {error}") from error

    def position(self) -> chess.Board:
        """Return the position at this turn. Raises `StoreError` if it is damaged."""
        board, move = self.opponents_move()
        board.push(move)
        return board

    def capture_before(self) -> Capture | None:
        """Return the capture by the opponent's last move, None if it did not capture.

        Raises `StoreError` if the opportunity is damaged.
        """
        return capture_by(*self.opponents_move())

    def allowed(self) -> tuple[chess.Board, list[chess.Move]] | None:
        """Return the tactic that the move played allowed, with its position, the move on its stack.

        None if it allowed none, or an earlier version did not store it. Raises `StoreError` if it is damaged.
        """
        if not self.allowed_line:
            return None
        position = self.position()
        try:
            position.push(parse_move(position, self.played))
            return position, parse_line(position, self.allowed_line)
        except PositionError as error:
            raise StoreError(f"the opportunity {self.number} is damaged in the database: {error}") from error

    @property
    def lost(self) -> float:
        """The points (0…1) that the reply cost, 0 if the opportunity was taken."""
        return 0.0 if self.taken else max(0.0, self.after - self.reply) / 2

    @property
    def result(self) -> str:
        """What became of it in plain words, such as `missed`: one of `RESULTS`."""
        return RESULTS[OpportunityKind(self.opportunity_kind)][self.taken]


class TrainingSet(Base, kw_only=True):
    """A named list of puzzles for `solver`, a person or a group (empty: anyone), perhaps with a `title`.

    `level` is the rating of the solver, if it is known.
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
        """Under which name results are stored unless somebody else solves it: whom it is for, or its own."""
        return self.solver or self.name


class SetPuzzle(Base, kw_only=True):
    """A puzzle of a set, at a `place` from 1, and the missed opportunity that it is there for, if any."""

    __tablename__ = "set_puzzles"

    set_number: Mapped[int] = mapped_column(ForeignKey("training_sets.number"), primary_key=True)
    puzzle_id: Mapped[str] = mapped_column(String(8), primary_key=True)
    place: Mapped[int]
    opportunity_number: Mapped[int | None] = mapped_column(ForeignKey("opportunities.number"), default=None)


class Attempt(Base, kw_only=True):
    """A puzzle that `solver` tried to solve: whether all moves were right at once, and the `seconds`.

    `hinted` says whether a hint helped, which named the piece to move.
    """

    __tablename__ = "attempts"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, init=False)
    solver: Mapped[str]
    puzzle_id: Mapped[str] = mapped_column(String(8))
    at: Mapped[datetime] = mapped_column(default_factory=utc_now)
    right: Mapped[bool]
    hinted: Mapped[bool] = mapped_column(default=False)
    seconds: Mapped[float]


class Card(Base, kw_only=True):
    """When a puzzle is due again for `solver`; `state` is that of the scheduler."""

    __tablename__ = "cards"

    solver: Mapped[str] = mapped_column(primary_key=True)
    puzzle_id: Mapped[str] = mapped_column(String(8), primary_key=True)
    due: Mapped[datetime]
    state: Mapped[dict[str, Any]]


class Round(Base, kw_only=True):
    """Puzzles that `solver` goes through one after the other, and how far she is.

    `set_name` is the set that they are from, empty if they are not of one. `version` counts the changes of
    `state`, which is that of `motifsearch.trainer.rounds`. `finished` is None as long as it goes on.
    """

    __tablename__ = "rounds"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, init=False)
    solver: Mapped[str] = mapped_column(index=True)
    title: Mapped[str]
    set_name: Mapped[str] = mapped_column(default="")
    started: Mapped[datetime] = mapped_column(default_factory=utc_now)
    finished: Mapped[datetime | None] = mapped_column(default=None)
    version: Mapped[int] = mapped_column(default=0)
    state: Mapped[dict[str, Any]]


def analysed_keys(session: Session) -> set[str]:
    """Return the keys of the games that were analysed."""
    is_game = AnalysedGame.game_number == Game.number
    return set(session.scalars(select(Game.key).join(AnalysedGame, is_game)))


def keep_analysis(session: Session, game: AnalysedGame, opportunities: Sequence[Opportunity]) -> None:
    """Store the opportunities of a game. They replace those of an earlier analysis.

    An opportunity that was known before keeps its number, by which training sets refer to it.
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


# The kinds of what a player had to find herself.
HAD = (OpportunityKind.WIN, OpportunityKind.SAVE)


def opportunities_of(
    session: Session, players: Sequence[str], kinds: Iterable[OpportunityKind] = HAD
) -> list[Opportunity]:
    """Return the opportunities of these kinds of a player, in order of date.

    She goes by any of the names `players`, which are whole; `Carlsen, Magnus` and `Magnus Carlsen` are one.
    """
    white, black = _is_player(session, players)
    own = or_(and_(Opportunity.white, white), and_(~Opportunity.white, black))
    return _opportunities(session, own, kinds)


def opportunities_given(
    session: Session, players: Sequence[str], kinds: Iterable[OpportunityKind] = HAD
) -> list[Opportunity]:
    """Return the same of the opponents of a player."""
    white, black = _is_player(session, players)
    others = or_(and_(Opportunity.white, black), and_(~Opportunity.white, white))
    return _opportunities(session, others, kinds)


def count_analysed(session: Session, players: Sequence[str]) -> int:
    """Return how many games of a player, who goes by any of the names `players`, were analysed."""
    is_game = AnalysedGame.game_number == Game.number
    analysed = select(func.count()).select_from(AnalysedGame).join(Game, is_game)
    return session.scalar(analysed.where(or_(*_is_player(session, players)))) or 0


def newest_ratings(session: Session, players: Sequence[str], limit: int) -> list[int]:
    """Return the ratings that a player had in her newest analysed games, at most so many, newest first."""
    white, black = _is_player(session, players)
    rating = case((white, Game.white_elo), (black, Game.black_elo))
    is_game = AnalysedGame.game_number == Game.number
    rated = select(rating).join(AnalysedGame, is_game).where(rating.is_not(None))
    return list(session.scalars(rated.order_by(Game.date.desc(), Game.number.desc()).limit(limit)))


def _is_player(session: Session, players: Sequence[str]) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Return the conditions that White, and that Black, is a player who goes by any of these whole names."""
    is_game = AnalysedGame.game_number == Game.number
    written = {
        name
        for column in (Game.white, Game.black)
        for name in session.scalars(select(column).join(AnalysedGame, is_game).distinct())
    }
    keys = set(map(name_key, players))
    names = [name for name in written if name_key(name) in keys]
    return Game.white.in_(names), Game.black.in_(names)


def games_of_others(solver: str) -> Select[int]:
    """Return the query of the analysed games, by number, that are not those of `solver`.

    A game is the solver's if its players' names have all words of that name, or if a set for the solver has
    an opportunity of it.
    """
    own = (
        select(Opportunity.game_number)
        .join(SetPuzzle, SetPuzzle.opportunity_number == Opportunity.number)
        .join(TrainingSet, TrainingSet.number == SetPuzzle.set_number)
        .where(TrainingSet.solver == solver)
    )
    is_played = or_(is_named(Game.white, solver), is_named(Game.black, solver))
    is_game = AnalysedGame.game_number == Game.number
    games = select(AnalysedGame.game_number).join(Game, is_game)
    return games.where(~is_played, AnalysedGame.game_number.not_in(own))


def _opportunities(
    session: Session, condition: ColumnElement[bool], kinds: Iterable[OpportunityKind]
) -> list[Opportunity]:
    of_kinds = Opportunity.opportunity_kind.in_([kind.value for kind in kinds])
    query = select(Opportunity).join(Opportunity.game).where(condition, of_kinds)
    return list(session.scalars(query.order_by(Game.date, Opportunity.game_number, Opportunity.ply)))


class SetSummary(NamedTuple):
    """A training set: its name, whom it is for (empty: anyone), and how many puzzles it has."""

    name: str
    solver: str
    puzzles: int

    @property
    def student(self) -> str:
        """Under which name results are stored, see `TrainingSet.student`."""
        return self.solver or self.name


class SetEntry(NamedTuple):
    """A puzzle of a set, and the missed opportunity that it is there for; None if a coach has added it."""

    puzzle: Puzzle
    opportunity: Opportunity | None = None

    @property
    def is_own(self) -> bool:
        """Whether the puzzle is the missed opportunity itself."""
        return self.opportunity is not None and self.puzzle.id == self.opportunity.puzzle_id


def all_sets(session: Session) -> list[SetSummary]:
    """Return all sets, by name."""
    puzzles = select(func.count()).where(SetPuzzle.set_number == TrainingSet.number).scalar_subquery()
    columns = select(TrainingSet.name, TrainingSet.solver, puzzles)
    return [SetSummary(*row) for row in session.execute(columns.order_by(TrainingSet.name))]


def sets_for(session: Session, name: str) -> list[SetSummary]:
    """Return the set of this name, or else all sets for this solver. Raises `InputError` for neither."""
    sets = all_sets(session)
    found = find_set(session, name)
    named = [each for each in sets if found and each.name == found.name]
    named = named or [each for each in sets if clean_name(each.solver) == clean_name(name)]
    if not named:
        raise _unknown(session, name)
    return named


def find_set(session: Session, name: str) -> TrainingSet | None:
    """Return the set of this name, None if there is none."""
    sets = session.scalars(select(TrainingSet)).all()
    # Earlier versions stored names with characters that cannot be seen, and so cannot be typed.
    alike = [each for each in sets if clean_name(each.name) == clean_name(name)]
    return next((each for each in alike if each.name == name), alike[0] if alike else None)


def get_set(session: Session, name: str) -> TrainingSet:
    """Return the set of this name. Raises `InputError` if there is none."""
    found = find_set(session, name)
    if found is None:
        raise _unknown(session, name)
    return found


def set_entries(session: Session, name: str) -> list[SetEntry]:
    """Return the puzzles of a set in order. Deleted puzzles are left out. Raises `InputError`."""
    number = get_set(session, name).number
    of_set = SetPuzzle.set_number == number
    is_reason = SetPuzzle.opportunity_number == Opportunity.number
    opportunities = select(Opportunity).join(SetPuzzle, is_reason).where(of_set).distinct()
    by_number = {opportunity.number: opportunity for opportunity in session.scalars(opportunities)}
    puzzles = (
        select(Puzzle, SetPuzzle.opportunity_number)
        .join(SetPuzzle, SetPuzzle.puzzle_id == Puzzle.id)
        .where(of_set)
        .order_by(SetPuzzle.place)
    )
    return [
        SetEntry(puzzle, None if reason is None else by_number[reason])
        for puzzle, reason in session.execute(puzzles)
    ]


def find_entry(session: Session, solver: str, puzzle_id: str) -> SetEntry | None:
    """Return a puzzle with the missed opportunity that it is there for in a set of `solver`, if it is in one.

    Returns None for a puzzle that is not stored.
    """
    puzzle = session.scalar(select(Puzzle).where(Puzzle.id == puzzle_id))
    if puzzle is None:
        return None
    is_reason = SetPuzzle.opportunity_number == Opportunity.number
    is_set = SetPuzzle.set_number == TrainingSet.number
    reasons = select(Opportunity).join(SetPuzzle, is_reason).join(TrainingSet, is_set)
    is_solver = or_(TrainingSet.solver == solver, TrainingSet.name == solver)
    return SetEntry(
        puzzle, session.scalar(reasons.where(SetPuzzle.puzzle_id == puzzle_id, is_solver).limit(1))
    )


def create_set(session: Session, name: str, solver: str = "", title: str = "") -> TrainingSet:
    """Store an empty set for `solver` (empty: anyone), with all names as `clean_name` returns them.

    Raises `InputError` if there is one of this name, or nothing is left of the name.
    """
    name, solver, title = map(clean_name, (name, solver, title))
    if not name:
        raise InputError("a set needs a name")
    # Another process may be making it just now.
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

    The set is created for `solver` if it is new; a `level` replaces the one that was known. What another
    process has added meanwhile is left out.
    """
    name, solver = clean_name(name), clean_name(solver)
    if find_set(session, name) is None:
        insert_new(session, [TrainingSet(name=name, solver=solver)])
    found = get_set(session, name)
    # Others wait until this is committed.
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
    """Put the puzzles of a set into the order of `ids`; those that are not among them leave it.

    Raises `InputError`.
    """
    places = {puzzle_id: place for place, puzzle_id in enumerate(ids, 1)}
    of_set = select(SetPuzzle).where(SetPuzzle.set_number == get_set(session, name).number)
    for puzzle in session.scalars(of_set):
        if puzzle.puzzle_id in places:
            puzzle.place = places[puzzle.puzzle_id]
        else:
            session.delete(puzzle)


def attempts_at(session: Session, ids: Sequence[str]) -> list[Attempt]:
    """Return all attempts at puzzles with these ids, in order of time."""
    found = rows_with(session, select(Attempt), Attempt.puzzle_id, ids)
    return sorted((attempt for (attempt,) in found), key=lambda attempt: attempt.number)


def delete_set(session: Session, name: str) -> None:
    """Delete a set. Its puzzles, and the attempts at them, stay. Raises `InputError` if there is none."""
    number = get_set(session, name).number
    session.execute(delete(SetPuzzle).where(SetPuzzle.set_number == number))
    session.execute(delete(TrainingSet).where(TrainingSet.number == number))


def _unknown(session: Session, name: str) -> InputError:
    known = session.scalars(select(TrainingSet.name)).all()
    return InputError(
        f"no training set {name!r}{did_you_mean(name, known)}; 'motifsearch sets list' shows them"
    )


class SetCounts(NamedTuple):
    """How many puzzles a set has, how many of them were tried, and how many of these are due today."""

    puzzles: int
    tried: int
    due: int


def counts_of_sets(session: Session, solver: str, now: datetime) -> dict[str, SetCounts]:
    """Return the counts of each set that has puzzles, by its name. Deleted puzzles are left out.

    What counts is what those have tried whom the set is for; of a set for anyone, `solver`.
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


def due_dates(session: Session, solver: str) -> dict[str, datetime]:
    """Return when each puzzle that `solver` has tried is due again (UTC), by its id."""
    dates = session.execute(select(Card.puzzle_id, Card.due).where(Card.solver == solver))
    # SQLite does not store the time zone.
    return {name: due if due.tzinfo else due.replace(tzinfo=UTC) for name, due in dates}
