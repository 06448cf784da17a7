"""The tables: games, puzzles and who was shown them, mining runs, checkpoints, evaluations, store facts.

Times are UTC. Columns check what is read from them: SQLite keeps any value in any column, and files get
damaged.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, ClassVar, TypeVar

import chess
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    ColumnElement,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    UniqueConstraint,
    case,
    func,
    literal_column,
    true,
    type_coerce,
)
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass, mapped_column, relationship
from sqlalchemy.types import TypeDecorator, TypeEngine

from chess_motif.errors import PositionError, StoreError
from chess_motif.material import Capture, capture_by
from chess_motif.notation import parse_defence, parse_move, parse_moves, parse_position
from chess_motif.text import clean
from db.packed.position import SIMPLE_BYTES

T = TypeVar("T")


class Checked(TypeDecorator[Any]):
    """A column of the type `stored`, with values of the Python type `kind`, or NULL.

    Reading any other value raises `StoreError`. Text is cleaned, since another program may have written it.
    """

    impl = Text
    cache_ok = True

    def __init__(self, stored: TypeEngine[Any], kind: type) -> None:
        super().__init__()
        self.stored = stored
        # The class attribute is the default.
        self.impl = stored  # type: ignore[assignment]
        self.kind = kind

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:
        """Return the function that converts a stored value to a Python value."""
        convert, kind = super().result_processor(dialect, coltype), self.kind

        def checked(value: Any) -> Any:
            try:
                converted = convert(value) if convert else value
            except (TypeError, ValueError) as error:
                raise _damaged(value) from error
            if converted is not None and not isinstance(converted, kind):
                raise _damaged(value)
            if isinstance(converted, str) and not converted.isprintable():
                return clean(converted)
            return converted

        return checked


def _damaged(value: object) -> StoreError:
    return StoreError(f"the database is damaged: it has the impossible value {value!r:.40}")


class Kind(StrEnum):
    """What a row of the table `puzzles` is."""

    PUZZLE = "puzzle"
    """Each of the solver's moves is the only one that wins."""
    EXERCISE = "exercise"
    """The solver has to find one move, and several moves may be good enough."""


class Verdict(StrEnum):
    """What an audit says of a puzzle."""

    HOLDS = "holds"
    AMBIGUOUS = "ambiguous"
    """Another move is right, too."""
    WRONG = "wrong"
    """Another move is right, and the solution's is not."""
    NOT_WINNING = "not winning"
    """No move wins, or an accepted move does not win."""
    ENDS_EARLY = "ends early"
    """The moves are right, but it is not yet clear at the end what they win."""


# The verdicts on puzzles that should not be given to solvers.
UNSOUND = (Verdict.AMBIGUOUS, Verdict.WRONG, Verdict.NOT_WINNING)


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def in_utc(time: datetime) -> datetime:
    """Return a time from the database in UTC: SQLite does not store the time zone."""
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


class Base(MappedAsDataclass, DeclarativeBase, kw_only=True, eq=False, repr=False):
    """Base of all tables. The database numbers a row when it is stored."""

    # Named constraints, so that a later migration can alter them on every kind of database.
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_name)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        dict[str, Any]: Checked(JSON(none_as_null=True), dict),
        list[str]: Checked(JSON(), list),
        str: Checked(Text(), str),
        datetime: Checked(DateTime(timezone=True), datetime),
        int: Checked(Integer(), int),
        float: Checked(Double(), float),
        bool: Checked(Boolean(), bool),
    }


class StoreFact(Base, kw_only=True):
    """A named fact about the store, such as the identity that a search index is tied to."""

    __tablename__ = "store_facts"

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    value: Mapped[str]


class Game(Base, kw_only=True):
    """A game that puzzles come from, or that is archived. `key` is the same on every computer."""

    __tablename__ = "games"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, init=False)
    key: Mapped[str] = mapped_column(String(16), unique=True)
    white: Mapped[str] = mapped_column(default="")
    black: Mapped[str] = mapped_column(default="")
    white_elo: Mapped[int | None] = mapped_column(default=None)
    black_elo: Mapped[int | None] = mapped_column(default=None)
    event: Mapped[str] = mapped_column(default="")
    site: Mapped[str] = mapped_column(default="")
    date: Mapped[str] = mapped_column(default="")
    round: Mapped[str] = mapped_column(default="")
    result: Mapped[str] = mapped_column(default="")
    eco: Mapped[str] = mapped_column(default="")
    opening: Mapped[str] = mapped_column(default="")
    time_control: Mapped[str] = mapped_column(default="")
    url: Mapped[str] = mapped_column(default="")


class ArchivedGame(Base, kw_only=True):
    """A game that is archived for position searches. `moves` are in UCI, separated by spaces.

    Every game gets a higher `number`, and no number is reused, so that a search index knows which games are
    missing. `start` is the FEN of the first position, empty for the standard one.
    """

    __tablename__ = "archived_games"
    __table_args__ = ({"sqlite_autoincrement": True},)

    number: Mapped[int] = mapped_column(Integer, primary_key=True, init=False)
    game_number: Mapped[int] = mapped_column(ForeignKey("games.number"), unique=True, init=False)
    start: Mapped[str] = mapped_column(default="")
    moves: Mapped[str]

    game: Mapped[Game] = relationship(lazy="joined", innerjoin=True)

    def played(self, plies: int) -> tuple[chess.Board, list[chess.Move]]:
        """Return the position after `plies` plies, and the moves from there to the end of the game.

        Raises `StoreError` if the game is damaged.
        """
        try:
            board = chess.Board(self.start or chess.STARTING_FEN)
            moves = [board.push_uci(word) for word in self.moves.split()]
        except ValueError as error:
            raise StoreError(f"the archived game {self.game.key} is damaged in the database") from error
        for _ in moves[plies:]:
            board.pop()
        return board.copy(stack=False), moves[plies:]

    def position(self, plies: int) -> chess.Board:
        """Return the position after `plies` plies. Faster than `played`: moves are not checked.

        Raises `StoreError` if the game is damaged.
        """
        try:
            board = chess.Board(self.start or chess.STARTING_FEN)
            for word in self.moves.split()[:plies]:
                board.push(chess.Move.from_uci(word))
        # python-chess only asserts that there is a piece to move.
        except (ValueError, AssertionError) as error:
            raise StoreError(f"the archived game {self.game.key} is damaged in the database") from error
        return board.copy(stack=False)


class MiningRun(Base, kw_only=True):
    """A mining run, with everything that its results depend on.

    `outcome` says how the run ended (see `db.runs`); it is empty while the run goes on, and if it was killed.
    `summary` has the counts when they were last `updated`, `files` the names of the archives that were read.
    """

    __tablename__ = "mining_runs"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, init=False)
    started: Mapped[datetime] = mapped_column(default_factory=utc_now)
    finished: Mapped[datetime | None] = mapped_column(default=None)
    updated: Mapped[datetime | None] = mapped_column(default=None)
    outcome: Mapped[str] = mapped_column(default="", server_default="")
    summary: Mapped[dict[str, Any] | None] = mapped_column(default=None)
    files: Mapped[list[str]] = mapped_column(default_factory=list, server_default="[]")
    engine: Mapped[str]
    rules: Mapped[dict[str, Any]]


class Checkpoint(Base, kw_only=True):
    """How far an archive has been mined under given settings.

    `archive` is a digest of the beginning of the decompressed text, `settings` a digest of all settings that
    the results depend on. The text up to byte `offset` has been mined; `before` is a digest of the text just
    before `offset`, which tells the archive from others with the same beginning. `finished_size` is the size
    of the file in bytes when its end was reached. `run_number` is the last run that read the archive.
    """

    __tablename__ = "checkpoints"
    __table_args__ = (UniqueConstraint("archive", "settings"),)

    number: Mapped[int] = mapped_column(Integer, primary_key=True, init=False)
    archive: Mapped[str] = mapped_column(String(64))
    settings: Mapped[str] = mapped_column(String(64))
    name: Mapped[str]
    offset: Mapped[int] = mapped_column(BigInteger, default=0)
    games: Mapped[int] = mapped_column(default=0)
    before: Mapped[str] = mapped_column(String(64), default="")
    finished_size: Mapped[int | None] = mapped_column(BigInteger, default=None)
    summary: Mapped[dict[str, Any]] = mapped_column(default_factory=dict)
    run_number: Mapped[int | None] = mapped_column(default=None)
    updated: Mapped[datetime] = mapped_column(default_factory=utc_now, onupdate=utc_now)


class Evaluation(Base, kw_only=True):
    """The result of a search, stored so that no search is repeated. The table may be emptied at any time.

    `key` is a digest of everything that the result depends on (see `chess_motif.search`), `found` the result
    as text (see `engines.search_cache`). `position` is in the simple code of `db.packed.position`. This and
    the columns after it are None for searches by old versions, which stored only the key.
    """

    __tablename__ = "evaluations"
    __table_args__ = ({"sqlite_with_rowid": False},)

    key: Mapped[bytes] = mapped_column(LargeBinary(16), primary_key=True)
    found: Mapped[str]
    position: Mapped[bytes | None] = mapped_column(Checked(LargeBinary(SIMPLE_BYTES), bytes), default=None)
    clock: Mapped[int | None] = mapped_column(default=None)
    settings: Mapped[str | None] = mapped_column(default=None)
    nodes: Mapped[int | None] = mapped_column(BigInteger, default=None)
    lines: Mapped[int | None] = mapped_column(default=None)
    depth: Mapped[int | None] = mapped_column(default=None)


class Showing(Base, kw_only=True):
    """A record that a puzzle was shown to `name`, which stays when the puzzle is deleted."""

    __tablename__ = "showings"

    name: Mapped[str] = mapped_column(primary_key=True)
    puzzle_id: Mapped[str] = mapped_column(String(8), primary_key=True)
    at: Mapped[datetime] = mapped_column(default_factory=utc_now)


class DeletedPuzzle(Base, kw_only=True):
    """A puzzle that was deleted and not stored again. `change` is as in `Puzzle`."""

    __tablename__ = "deleted_puzzles"

    id: Mapped[str] = mapped_column(String(8), primary_key=True)
    at: Mapped[datetime] = mapped_column(default_factory=utc_now)
    change: Mapped[int | None] = mapped_column(BigInteger, index=True, default=None)


class Puzzle(Base, kw_only=True):
    """A tactical puzzle, or an exercise (see `Kind`).

    `fen` is the position before the opponent's move `blunder`; `puzzle_fen` is the position after it, with
    the solver to move. `solution` has UCI moves, solver first, separated by spaces. If a source starts at the
    puzzle position, `blunder` is empty and both FENs are equal. `ply` counts the plies before the puzzle
    position.

    Every puzzle gets a higher `number`, and no number is reused, so that a search index knows which puzzles
    are missing. `outcome` is `mate` or `material`, empty if not known. `gap` is the smallest difference (0…2)
    in win chance between the best and the second-best solver move of the solution. `evaluations` has win
    chances (-1…1) from the solver's side: `before` the blunder, `after` it, after the `reply` in the game,
    and at the `end` of the solution. `solver_found` says whether the reply in the game was the solution's
    first move. `audit_passed` says whether the audit with the most nodes found no fault, None without an
    audit; `audit` has the `engine`, the `nodes` per search, the `verdict` (see `Verdict`) and the `faults` of
    that audit. `difficulty` is an estimate of the `rating` that the puzzle would get on Lichess, within
    `difficulty_margin` for four puzzles of five; `first_move_chance` (0…1) is the share of people who would
    find the first move, or another accepted one. All three are None until they are estimated.

    `updated` is the time of the last change, None if there was none since `created`; `change` is the number
    of the last change (see `db.changes`), None until the commit.

    `accepted` has the moves (UCI, separated by spaces, best first) that solve an exercise, and is empty for a
    puzzle; the moves of an exercise's `solution` after the first one only show why that move wins.
    `other_defences` has lines against other replies, separated by commas. Each begins after the solver's
    first move, and leaves the solution at the first or second reply; a null move as the reply shows the
    threat.
    """

    __tablename__ = "puzzles"
    __table_args__ = ({"sqlite_autoincrement": True},)

    number: Mapped[int] = mapped_column(Integer, primary_key=True, init=False)
    id: Mapped[str] = mapped_column(String(8), unique=True)
    kind: Mapped[str] = mapped_column(default=Kind.PUZZLE.value)
    fen: Mapped[str]
    blunder: Mapped[str] = mapped_column(default="")
    puzzle_fen: Mapped[str]
    solution: Mapped[str]
    accepted: Mapped[str] = mapped_column(default="")
    other_defences: Mapped[str] = mapped_column(default="")
    outcome: Mapped[str] = mapped_column(default="")
    solver_found: Mapped[bool | None] = mapped_column(default=None)
    gap: Mapped[float | None] = mapped_column(default=None)
    evaluations: Mapped[dict[str, Any] | None] = mapped_column(default=None)
    nodes: Mapped[dict[str, Any] | None] = mapped_column(default=None)
    engine: Mapped[str] = mapped_column(default="")
    audit_passed: Mapped[bool | None] = mapped_column(default=None)
    audit: Mapped[dict[str, Any] | None] = mapped_column(default=None)
    tags: Mapped[str] = mapped_column(default="")
    difficulty: Mapped[float | None] = mapped_column(default=None)
    difficulty_margin: Mapped[float | None] = mapped_column(default=None)
    first_move_chance: Mapped[float | None] = mapped_column(default=None)
    source: Mapped[str] = mapped_column(index=True)
    source_id: Mapped[str] = mapped_column(default="")
    rating: Mapped[int | None] = mapped_column(default=None)
    rating_deviation: Mapped[int | None] = mapped_column(default=None)
    popularity: Mapped[int | None] = mapped_column(default=None)
    plays: Mapped[int | None] = mapped_column(default=None)
    themes: Mapped[str] = mapped_column(default="")
    opening_tags: Mapped[str] = mapped_column(default="")
    game_url: Mapped[str] = mapped_column(default="")
    ply: Mapped[int | None] = mapped_column(default=None)
    game_number: Mapped[int | None] = mapped_column(ForeignKey("games.number"), index=True, default=None)
    run_number: Mapped[int | None] = mapped_column(ForeignKey("mining_runs.number"), default=None)
    created: Mapped[datetime] = mapped_column(default_factory=utc_now)
    updated: Mapped[datetime | None] = mapped_column(default=None)
    change: Mapped[int | None] = mapped_column(BigInteger, index=True, default=None)

    game: Mapped[Game | None] = relationship(lazy="joined", default=None)

    @hybrid_property
    def level(self) -> float | None:
        """How hard the puzzle is: the rating at its source or else the estimated difficulty."""
        return self.difficulty if self.rating is None else self.rating

    @level.inplace.expression
    @classmethod
    def _level_expression(cls) -> ColumnElement[float | None]:
        # Without the type, bounds would be converted to integers, which ratings are.
        return func.coalesce(cls.rating, cls.difficulty, type_=Double())

    @hybrid_property
    def verdict(self) -> str | None:
        """The verdict of the audit, None without an audit.

        Faults that earlier versions found have no verdict, because these audits were too strict.
        """
        return Verdict.HOLDS.value if self.audit_passed else (self.audit or {}).get("verdict")

    @verdict.inplace.expression
    @classmethod
    def _verdict_expression(cls) -> ColumnElement[str | None]:
        verdict = type_coerce(cls.audit, JSON)["verdict"].as_string()
        return case((cls.audit_passed.is_(true()), Verdict.HOLDS.value), else_=verdict)

    @property
    def as_of(self) -> datetime:
        """The time of the last change, or else of the creation, in UTC."""
        return in_utc(self.updated or self.created)

    def position(self) -> chess.Board:
        """Return the position with the solver to move. Raises `StoreError` if the puzzle is damaged."""
        return self._read(_position, self.puzzle_fen).copy(stack=False)

    def board(self) -> chess.Board:
        """Return the position with the solver to move, and the opponent's move, if known, on its move stack.

        Raises `StoreError` if the puzzle is damaged.
        """
        opponents = self.opponents_move()
        if opponents is None:
            return self.position()
        board, move = opponents
        board.push(move)
        return board

    def moves(self) -> list[chess.Move]:
        """Return the solution, solver first. Raises `StoreError` if the puzzle is damaged."""
        return self._read(parse_moves, self.position(), self.solution)

    def accepted_moves(self) -> list[chess.Move]:
        """Return the moves that solve an exercise; empty for a puzzle. Raises `StoreError` for damage."""
        position = self.position()
        return [self._read(parse_move, position, word) for word in self.accepted.split()]

    def other_defence_lines(self) -> list[list[chess.Move]]:
        """Return the `other_defences`. Raises `StoreError` if the puzzle is damaged."""
        if not self.other_defences:
            return []
        after = self.position()
        after.push(self.moves()[0])
        return [self._read(parse_defence, after, line) for line in self.other_defences.split(",")]

    def opponents_move(self) -> tuple[chess.Board, chess.Move] | None:
        """Return the position before `blunder`, and that move, None if the move is not known.

        Raises `StoreError` if the puzzle is damaged.
        """
        if not self.blunder:
            return None
        before = self._read(_position, self.fen).copy(stack=False)
        return before, self._read(parse_move, before, self.blunder)

    def capture_before(self) -> Capture | None:
        """Return the capture by `blunder`, None if there was no capture or the move is not known."""
        opponents = self.opponents_move()
        return None if opponents is None else capture_by(*opponents)

    def _read(self, parse: Callable[..., T], *text: object) -> T:
        try:
            return parse(*text)
        except PositionError as error:
            raise StoreError(f"the puzzle {self.id} is damaged in the database: {error}") from error

    def all_tags(self) -> list[str]:
        """Return the puzzle's own tags and its source's themes as one sorted list."""
        return sorted({*self.tags.split(), *self.themes.split()})

    def level_text(self) -> str:
        """Return the rating or else, with a tilde, the estimated difficulty; empty if both are unknown."""
        if self.rating is None and self.difficulty is not None:
            return f"~{self.difficulty:.0f}"
        return str(self.rating or "")

    def origin(self) -> str:
        """Return where the puzzle comes from: its game, its address, or its source."""
        game = self.game
        if game is not None and (game.white or game.black):
            words = [f"{game.white or '?'} – {game.black or '?'}", game.event, game.date]
            return ", ".join(word for word in words if word)
        return self.game_url or " ".join(filter(None, [self.source, self.source_id]))


# A search needs the same positions dozens of times, and copying a board is faster than parsing a FEN.
@lru_cache(maxsize=512)
def _position(fen: str) -> chess.Board:
    return parse_position(fen)


# The next puzzle of a level is looked up in it, from a random id on.
Index("ix_puzzles_level", func.coalesce(Puzzle.rating, Puzzle.difficulty), Puzzle.id)
_tagged = Puzzle.opening_tags != ""
Index("ix_puzzles_opening", Puzzle.opening_tags, sqlite_where=_tagged, postgresql_where=_tagged)
# A literal, since SQLite does not find a partial index for a parameter.
IS_EXERCISE = Puzzle.kind == literal_column(f"'{Kind.EXERCISE.value}'")
Index("ix_puzzles_exercises", Puzzle.kind, sqlite_where=IS_EXERCISE, postgresql_where=IS_EXERCISE)
_sourced = Puzzle.source_id != ""
Index("ix_puzzles_source_id", Puzzle.source_id, sqlite_where=_sourced, postgresql_where=_sourced)
