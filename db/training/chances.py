"""Storing the chances of analysed games, and finding those of a player."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, SQLColumnExpression, and_, delete, func, or_, select
from sqlalchemy.orm import Session

from db.games import is_named
from db.models import Game
from db.training.models import AnalysedGame, Chance, SetPuzzle


def analysed_keys(session: Session) -> set[str]:
    """Return the keys of the games that were analysed."""
    is_game = AnalysedGame.game_number == Game.number
    return set(session.scalars(select(Game.key).join(AnalysedGame, is_game)))


def keep_analysis(session: Session, game: AnalysedGame, chances: Sequence[Chance]) -> None:
    """Store the chances of a game. They replace those of an earlier analysis.

    A chance that was known before keeps its number, by which training sets refer to it.
    """
    session.merge(game)
    stored = select(Chance).where(Chance.game_number == game.game_number)
    numbers = {chance.ply: chance.number for chance in session.scalars(stored)}
    for chance in chances:
        chance.game_number = game.game_number
        if chance.ply in numbers:
            chance.number = numbers.pop(chance.ply)
        session.merge(chance)
    for model, number in ((SetPuzzle, SetPuzzle.chance_number), (Chance, Chance.number)):
        session.execute(delete(model).where(number.in_(numbers.values())))


def chances_of(session: Session, players: Sequence[str]) -> list[Chance]:
    """Return the chances that a player had, who goes by any of the names `players`, in order of date."""
    white, black = named(Game.white, players), named(Game.black, players)
    return _chances(session, or_(and_(Chance.white, white), and_(~Chance.white, black)))


def chances_given(session: Session, players: Sequence[str]) -> list[Chance]:
    """Return the chances that a player gave to others, in order of date."""
    white, black = named(Game.white, players), named(Game.black, players)
    return _chances(session, or_(and_(Chance.white, black), and_(~Chance.white, white)))


def count_analysed(session: Session, players: Sequence[str]) -> int:
    """Return how many games of a player, who goes by any of the names `players`, were analysed."""
    is_game = AnalysedGame.game_number == Game.number
    of_player = or_(named(Game.white, players), named(Game.black, players))
    analysed = select(func.count()).select_from(AnalysedGame).join(Game, is_game)
    return session.scalar(analysed.where(of_player)) or 0


def named(column: SQLColumnExpression[str], players: Sequence[str]) -> ColumnElement[bool]:
    """Return the condition that a name contains all words of one of `players`."""
    return or_(*(is_named(column, player) for player in players))


def _chances(session: Session, condition: ColumnElement[bool]) -> list[Chance]:
    query = select(Chance).join(Chance.game).where(condition)
    return list(session.scalars(query.order_by(Game.date, Chance.game_number, Chance.ply)))
