"""The tables of training. Times are UTC."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import chess
from sqlalchemy import BigInteger, ForeignKey, Integer, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from chess_motif.errors import PositionError, StoreError
from chess_motif.notation import parse_move, parse_position
from db.models import Base, Game, utc_now


class AnalysedGame(Base, kw_only=True):
    """A game whose chances are known, and how many `searches` and `nodes` that cost."""

    __tablename__ = "analysed_games"

    game_number: Mapped[int] = mapped_column(ForeignKey("games.number"), primary_key=True)
    run_number: Mapped[int] = mapped_column(ForeignKey("mining_runs.number"))
    searches: Mapped[int]
    nodes: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[datetime] = mapped_column(default_factory=utc_now)


class Chance(Base, kw_only=True):
    """A position of a game that a blunder has made a won one, and what its player made of it.

    `ply` counts the plies before it; `white` says whether White is to move. `fen` is the position before the
    `blunder`, and `played` the reply to it. `taken` says whether that kept the win. Win chances (-1…1) are
    those of the player to move: `before` the blunder, `after` it, and after the `reply`. `clock` are the
    seconds that this player had left, None if that is not known. `solution` (UCI) begins with the best move.
    `puzzle_id` is the puzzle or exercise that was made of it, and `kind` says which; both are empty if there
    is none, and `reason` then says why.
    """

    __tablename__ = "chances"
    __table_args__ = (UniqueConstraint("game_number", "ply"),)

    number: Mapped[int] = mapped_column(Integer, primary_key=True, init=False)
    game_number: Mapped[int] = mapped_column(ForeignKey("games.number"), init=False)
    ply: Mapped[int]
    white: Mapped[bool]
    fen: Mapped[str]
    blunder: Mapped[str]
    solution: Mapped[str]
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

    def position(self) -> chess.Board:
        """Return the position after the blunder. Raises `StoreError` if it is damaged."""
        try:
            board = parse_position(self.fen)
            board.push(parse_move(board, self.blunder))
        except PositionError as error:
            raise StoreError(f"the chance {self.number} is damaged in the database: {error}") from error
        return board

    @property
    def lost(self) -> float:
        """The points (0…1) that the reply cost, 0 if the chance was taken."""
        return 0.0 if self.taken else max(0.0, self.after - self.reply) / 2


class TrainingSet(Base, kw_only=True):
    """A named list of puzzles for `solver`, a person or a group."""

    __tablename__ = "training_sets"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, init=False)
    name: Mapped[str] = mapped_column(unique=True)
    solver: Mapped[str]
    created: Mapped[datetime] = mapped_column(default_factory=utc_now)


class SetPuzzle(Base, kw_only=True):
    """A puzzle of a set, at a `place` from 1, and the missed chance that it is in the set for."""

    __tablename__ = "set_puzzles"

    set_number: Mapped[int] = mapped_column(ForeignKey("training_sets.number"), primary_key=True)
    puzzle_id: Mapped[str] = mapped_column(String(8), primary_key=True)
    place: Mapped[int]
    chance_number: Mapped[int] = mapped_column(ForeignKey("chances.number"))


class Attempt(Base, kw_only=True):
    """A puzzle that `solver` tried to solve: whether all moves were right at once, and the `seconds`."""

    __tablename__ = "attempts"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, init=False)
    solver: Mapped[str]
    puzzle_id: Mapped[str] = mapped_column(String(8))
    at: Mapped[datetime] = mapped_column(default_factory=utc_now)
    right: Mapped[bool]
    seconds: Mapped[float]


class Card(Base, kw_only=True):
    """When a puzzle is due again for `solver`; `state` is that of the scheduler."""

    __tablename__ = "cards"

    solver: Mapped[str] = mapped_column(primary_key=True)
    puzzle_id: Mapped[str] = mapped_column(String(8), primary_key=True)
    due: Mapped[datetime]
    state: Mapped[dict[str, Any]]
