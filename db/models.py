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
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    UniqueConstraint,
    case,
    func,
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

    Reading any other value raises `StoreError`. Text is cleaned: another program may have written it.
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
        """Return the function that makes a Python value of a stored one."""
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
    return StoreError(f"the database is damaged: it holds {value!r:.40} where that cannot be")


class Kind(StrEnum):
    """What a row of the table `puzzles` is."""

    PUZZLE = "puzzle"
    """Each of the solver's moves is the only one that wins."""
    EXERCISE = "exercise"
    """One move is to be found, and any of several may be good enough."""


class Verdict(StrEnum):
    """What an audit says of a puzzle."""

    HOLDS = "holds"
    AMBIGUOUS = "ambiguous"
    """Another move is right, too."""
    WRONG = "wrong"
    """Another move is right, and the solution's is not."""
    NOT_WINNING = "not winning"
    """No move wins, or not the one that is accepted."""
    ENDS_EARLY = "ends early"
    """The moves are right, but at the end it is not clear yet what they win."""


# The verdicts on puzzles that solvers should not get.
UNSOUND = (Verdict.AMBIGUOUS, Verdict.WRONG, Verdict.NOT_WINNING)


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def in_utc(time: datetime) -> datetime:
    """Return a time from the database in UTC: SQLite does not store the time zone."""
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


class Base(MappedAsDataclass, DeclarativeBase, kw_only=True, eq=False, repr=False):
    """Base of all tables. A row is made by its constructor; the database numbers it when it is stored."""

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

    `number` grows with every game and is never reused, so that a search index knows which games it
    lacks. `start` is the FEN of the first position, empty for the standard one.
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
        """Return the position after `plies` plies, faster than `played`: moves are not checked for legality.

        Raises `StoreError` if the game is damaged.
        """
        try:
            board = chess.Board(self.start or chess.STARTING_FEN)
            for word in self.moves.split()[:plies]:
                board.push(chess.Move.from_uci(word))
        # python-chess asserts that there is a piece to move.
        except (ValueError, AssertionError) as error:
            raise StoreError(f"the archived game {self.game.key} is damaged in the database") from error
        return board.copy(stack=False)


class MiningRun(Base, kw_only=True):
    """A mining run, with everything that its results depend on.

    `outcome` is how it ended (see `db.runs`), empty while it goes on, and after it was killed. `summary` has
    its counts when they were last `updated`, `files` the names of the archives that it read.
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

    `archive` is a digest of the beginning of its decompressed text, `settings` a digest of what the results
    depend on. The text up to byte `offset` has been mined; `before` is a digest of the text just before
    it, so that another file with the same beginning is not mistaken for this one. `finished_size` is the
    size of the file in bytes when its end was reached. The last run that read it is `run_number`.
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
    as text (see `engines.search_cache`). `position` is in the simple code of `db.packed.position`. It and the
    columns after it are None for searches of versions that stored only their key.
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
    """A record that a puzzle was shown to `name`. It stays when the puzzle is deleted."""

    __tablename__ = "showings"

    name: Mapped[str] = mapped_column(primary_key=True)
    puzzle_id: Mapped[str] = mapped_column(String(8), primary_key=True)
    at: Mapped[datetime] = mapped_column(default_factory=utc_now)


class DeletedPuzzle(Base, kw_only=True):
    """A puzzle that was deleted, and not stored again since. `change` is that of `Puzzle`."""

    __tablename__ = "deleted_puzzles"

    id: Mapped[str] = mapped_column(String(8), primary_key=True)
    at: Mapped[datetime] = mapped_column(default_factory=utc_now)
    change: Mapped[int | None] = mapped_column(BigInteger, index=True, default=None)


class Puzzle(Base, kw_only=True):
    """A tactical puzzle, or an exercise (see `Kind`).

    `fen` is the position before the opponent's move `blunder`; `puzzle_fen` the one after it, from
    which `solution` (UCI moves, solver first, separated by spaces) is played. Where a source starts
    at the puzzle position, `blunder` is empty and both FENs are equal.

    `number` grows with every puzzle and is never reused, so that a search index knows which puzzles it
    lacks. `outcome` is `mate` or `material`, empty where it is not known. `gap` is the smallest difference
    (0…2) in win chance between the best and the second-best solver move of the solution. `evaluations` has
    win chances (-1…1) from the solver's side: `before` the blunder, `after` it, after the `reply` in the
    game, and at the `end` of the solution. `solver_found` says whether the reply in the game was the
    solution's first move. `audit_passed` says whether the audit with the most nodes found no fault, None
    without an audit; `audit` has its `engine`, its `nodes` per search, its `verdict` (see `Verdict`), and the
    `faults` it found. `ply` counts the plies before the puzzle position. `difficulty` is an estimate of the
    `rating` that the puzzle would get on Lichess, within `difficulty_margin` of it in four puzzles of five;
    `first_move_chance` (0…1) is the share of people who would begin by the solution, or another accepted
    move. All three are None until they are estimated.

    `updated` is when it was last changed, None if it is as it was `created`; `change` says where that is in
    the sequence of all changes (see `db.changes`), None until it is committed.

    `accepted` has the moves (UCI, separated by spaces, best first) that solve an exercise; the moves of its
    `solution` after the first one only show why that wins. It is empty for a puzzle. `other_defences` has
    lines, separated by commas, that begin after the first move: with the reply to it that deviates from the
    solution, or the null move, which shows what is threatened, or with that to the second move, and what
    follows.
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
    source: Mapped[str]
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
        """How hard the puzzle is: its rating at its source or else its estimated difficulty."""
        return self.difficulty if self.rating is None else self.rating

    @level.inplace.expression
    @classmethod
    def _level_expression(cls) -> ColumnElement[float | None]:
        # Without the type, bounds would be taken for whole numbers, like ratings.
        return func.coalesce(cls.rating, cls.difficulty, type_=Double())

    @hybrid_property
    def verdict(self) -> str | None:
        """The verdict of the audit, None without one.

        Earlier versions found fault with puzzles that are right, and stored no verdict: these count as none.
        """
        return Verdict.HOLDS.value if self.audit_passed else (self.audit or {}).get("verdict")

    @verdict.inplace.expression
    @classmethod
    def _verdict_expression(cls) -> ColumnElement[str | None]:
        verdict = type_coerce(cls.audit, JSON)["verdict"].as_string()
        return case((cls.audit_passed.is_(true()), Verdict.HOLDS.value), else_=verdict)

    @property
    def as_of(self) -> datetime:
        """When it became what it is now, in UTC."""
        return in_utc(self.updated or self.created)

    def position(self) -> chess.Board:
        """Return the position in which the solver is to move. Raises `StoreError` if it is damaged."""
        return self._read(_position, self.puzzle_fen).copy(stack=False)

    def board(self) -> chess.Board:
        """Return the same position, with the opponent's move before it on its move stack if that is known.

        Raises `StoreError` if it is damaged.
        """
        opponents = self.opponents_move()
        if opponents is None:
            return self.position()
        board, move = opponents
        board.push(move)
        return board

    def moves(self) -> list[chess.Move]:
        """Return the solution, solver first. Raises `StoreError` if it is damaged."""
        return self._read(parse_moves, self.position(), self.solution)

    def accepted_moves(self) -> list[chess.Move]:
        """Return the moves that solve an exercise, none for a puzzle. Raises `StoreError` if damaged."""
        position = self.position()
        return [self._read(parse_move, position, word) for word in self.accepted.split()]

    def other_defence_lines(self) -> list[list[chess.Move]]:
        """Return the `other_defences`. Raises `StoreError` if they are damaged."""
        if not self.other_defences:
            return []
        after = self.position()
        after.push(self.moves()[0])
        return [self._read(parse_defence, after, line) for line in self.other_defences.split(",")]

    def opponents_move(self) -> tuple[chess.Board, chess.Move] | None:
        """Return the position before `blunder`, and that move, None if it is not known.

        Raises `StoreError` if it is damaged.
        """
        if not self.blunder:
            return None
        before = self._read(_position, self.fen).copy(stack=False)
        return before, self._read(parse_move, before, self.blunder)

    def capture_before(self) -> Capture | None:
        """Return the capture by `blunder`, None if it did not capture or is not known."""
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
        """Return the rating or else, with a tilde, the estimated difficulty; empty if neither is known."""
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


# A search asks for the same positions dozens of times, and reading one takes longer than copying it.
@lru_cache(maxsize=512)
def _position(fen: str) -> chess.Board:
    return parse_position(fen)
