"""Analysed games, and the opportunities that their players had.

Rows of analysed games go in; a player's opportunities and ratings come out. `db.sets` stores an analysis,
because the puzzles of sets may refer to the opportunities that it replaces. Times are UTC.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum

import chess
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    ForeignKey,
    Integer,
    String,
    UniqueConstraint,
    and_,
    case,
    func,
    or_,
    select,
)
from sqlalchemy.orm import Mapped, Session, mapped_column, relationship

from chess_motif.errors import PositionError, StoreError
from chess_motif.material import Capture, capture_by
from chess_motif.notation import parse_line, parse_move, parse_position
from chess_motif.text import name_key
from db.models import Base, Game, utc_now


class AnalysedGame(Base, kw_only=True):
    """A game whose opportunities are known, and how many `searches` and `nodes` its analysis cost."""

    __tablename__ = "analysed_games"

    game_number: Mapped[int] = mapped_column(ForeignKey("games.number"), primary_key=True)
    run_number: Mapped[int] = mapped_column(ForeignKey("mining_runs.number"))
    searches: Mapped[int]
    nodes: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[datetime] = mapped_column(default_factory=utc_now)


class OpportunityKind(StrEnum):
    """What the player to move could do, or did wrong."""

    WIN = "win"
    """She could win, or gain decisively."""
    SAVE = "save"
    """She could save a game that was lost."""
    ALLOWED = "allowed"
    """Her move allowed a tactic of the opponent's."""


# The results by kind: of opportunities that were not taken, and of those that were.
RESULTS = {
    OpportunityKind.WIN: ("missed", "found"),
    OpportunityKind.SAVE: ("failed to save", "saved"),
    OpportunityKind.ALLOWED: ("allowed", "allowed"),
}


class Opportunity(Base, kw_only=True):
    """A turn in a game at which there was a tactic, and what the player to move did.

    `opportunity_kind` says which kind of tactic. `ply` counts the plies before the turn; `white` says whether
    White is to move. `fen` is the position before the opponent's last move `blunder`, which need not be a
    blunder, and `played` is the reply. `taken` says whether the reply kept the win or saved the game; it is
    False if the reply allowed a tactic. Win chances (-1…1) are those of the player to move: `before` the
    opponent's move, `after` it, and after the `reply`. `clock` has the seconds that the player had left, None
    if not known. `solution` (UCI) begins with the best move; `allowed_line` (UCI) is the tactic that `played`
    allowed, and begins with the opponent's move.

    `puzzle_id` is the puzzle or exercise made of the opportunity, and `kind` says which; both are empty
    without a puzzle, and then `reason` says why. The puzzle for an allowed tactic begins after `played` and
    asks for the tactic, or begins before `played` and asks for the move that parries the tactic.
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

        Raises `StoreError` if the opportunity is damaged.
        """
        try:
            before = parse_position(self.fen)
            return before, parse_move(before, self.blunder)
        except PositionError as error:
            raise StoreError(f"the opportunity {self.number} is damaged in the database: {error}") from error

    def position(self) -> chess.Board:
        """Return the position at this turn. Raises `StoreError` if the opportunity is damaged."""
        board, move = self.opponents_move()
        board.push(move)
        return board

    def capture_before(self) -> Capture | None:
        """Return the capture by the opponent's last move, or None.

        Raises `StoreError` if the opportunity is damaged.
        """
        return capture_by(*self.opponents_move())

    def allowed(self) -> tuple[chess.Board, list[chess.Move]] | None:
        """Return the position after the move played, which is on the move stack, and the tactic then allowed.

        Returns None if there was none, or if an earlier version did not store the tactic. Raises `StoreError`
        if the opportunity is damaged.
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
        """The result in plain words, such as `missed`: one of `RESULTS`."""
        return RESULTS[OpportunityKind(self.opportunity_kind)][self.taken]


def analysed_keys(session: Session) -> set[str]:
    """Return the keys of the games that were analysed."""
    return set(session.scalars(select(Game.key).join(AnalysedGame)))


# The kinds of opportunities in which the player had something to find.
HAD = (OpportunityKind.WIN, OpportunityKind.SAVE)


def opportunities_of(
    session: Session, players: Sequence[str], kinds: Iterable[OpportunityKind] = HAD
) -> list[Opportunity]:
    """Return a player's opportunities of these kinds, in order of date.

    `players` are the full names of the player; `Carlsen, Magnus` and `Magnus Carlsen` count as the same name.
    """
    white, black = _is_player(session, players)
    own = or_(and_(Opportunity.white, white), and_(~Opportunity.white, black))
    return _opportunities(session, own, kinds)


def opportunities_given(session: Session, players: Sequence[str]) -> list[Opportunity]:
    """Return the opportunities of a player's opponents, in order of date."""
    white, black = _is_player(session, players)
    others = or_(and_(Opportunity.white, black), and_(~Opportunity.white, white))
    return _opportunities(session, others, HAD)


def count_analysed(session: Session, players: Sequence[str]) -> int:
    """Return how many games of a player with any of the names `players` were analysed."""
    analysed = select(func.count()).select_from(AnalysedGame).join(Game)
    return session.scalar(analysed.where(or_(*_is_player(session, players)))) or 0


def newest_ratings(session: Session, players: Sequence[str], limit: int) -> list[int]:
    """Return the ratings of a player in the newest analysed games, at most `limit`, newest first."""
    white, black = _is_player(session, players)
    rating = case((white, Game.white_elo), (black, Game.black_elo))
    rated = select(rating).join(AnalysedGame).where(rating.is_not(None))
    return list(session.scalars(rated.order_by(Game.date.desc(), Game.number.desc()).limit(limit)))


def _is_player(session: Session, players: Sequence[str]) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Return two conditions: that White, and that Black, has one of these full names."""
    written = {
        name
        for column in (Game.white, Game.black)
        for name in session.scalars(select(column).join(AnalysedGame).distinct())
    }
    keys = set(map(name_key, players))
    names = [name for name in written if name_key(name) in keys]
    return Game.white.in_(names), Game.black.in_(names)


def _opportunities(
    session: Session, condition: ColumnElement[bool], kinds: Iterable[OpportunityKind]
) -> list[Opportunity]:
    of_kinds = Opportunity.opportunity_kind.in_([kind.value for kind in kinds])
    query = select(Opportunity).join(Opportunity.game).where(condition, of_kinds)
    return list(session.scalars(query.order_by(Game.date, Opportunity.game_number, Opportunity.ply)))
