"""Storing games, and finding archived games, which are stored with their moves for position searches.

This module also has what queries of games and of puzzles share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVarTuple

from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    SQLColumnExpression,
    Text,
    and_,
    false,
    func,
    literal,
    or_,
    select,
    text,
    true,
    type_coerce,
)
from sqlalchemy.orm import Session

from chess_motif import arguments
from chess_motif.parallel import chunks_of
from chess_motif.text import BETWEEN_WORDS, name_words
from db.models import ArchivedGame, Game
from db.store import Store, insert_new

# The most rows that a statement names or reads.
BATCH = 1000

# The most characters of a name that is looked up.
LONGEST_NAME = 200

Columns = TypeVarTuple("Columns")


class GameRecord(NamedTuple):
    """The parts of an archived game, see `ArchivedGame` and `Game`."""

    number: int
    start: str
    moves: str
    result: str
    white_elo: int | None
    black_elo: int | None


class Share(NamedTuple):
    """A share of the archived games: those whose number divided by `of` leaves `remainder`."""

    remainder: int = 0
    of: int = 1

    def condition(self) -> ColumnElement[bool]:
        """Return the share as an SQL condition over archived games."""
        return true() if self.of == 1 else ArchivedGame.number % self.of == self.remainder


WHOLE_ARCHIVE = Share()


@dataclass(frozen=True)
class GameFilter:
    """Conditions on archived games, all of which must hold. Bounds are inclusive.

    `player` has whole words of a player's name, in any order and any case; `white` says whether the player
    had White (None: either colour). `elo` bounds the ratings of both players, which must be known. `date` has
    PGN dates of any precision (`2013`, `2013.05`) as bounds; a game is left out if its date is not known well
    enough. `eco` is the beginning of an ECO code. `other_than` leaves out the game with this `Game.number`.
    Raises `InputError` for impossible values.
    """

    player: str | None = None
    white: bool | None = None
    elo: tuple[int | None, int | None] = (None, None)
    date: tuple[str | None, str | None] = (None, None)
    eco: str | None = None
    other_than: int | None = None

    def __post_init__(self) -> None:
        arguments.in_order(elo=self.elo)

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return the filter as SQL conditions over games."""
        conditions: list[ColumnElement[bool]] = []
        if self.player is not None:
            sides = {True: Game.white, False: Game.black}
            names = [name for white, name in sides.items() if self.white in (white, None)]
            conditions.append(or_(*(is_named(name, self.player) for name in names)))
        conditions += [*within(Game.white_elo, self.elo), *within(Game.black_elo, self.elo)]
        if self.date[0] is not None:
            conditions.append(_cut_date(self.date[0], unknown="0") >= self.date[0])
        if self.date[1] is not None:
            conditions += [_cut_date(self.date[1], unknown="9") <= self.date[1], Game.date != ""]
        if self.eco is not None:
            conditions.append(Game.eco.istartswith(self.eco, autoescape=True))
        if self.other_than is not None:
            conditions.append(Game.number != self.other_than)
        return conditions


def _cut_date(bound: str, unknown: str) -> ColumnElement[str]:
    """Return the date cut to the length of `bound` (so that `2013.05.01` is within `2013`).

    Each `?` becomes the digit `unknown`.
    """
    return func.replace(func.substr(Game.date, 1, len(bound)), "?", unknown)


def is_named(column: SQLColumnExpression[str], name: str) -> ColumnElement[bool]:
    """Return the condition that all words of `name` are whole words of a player's name.

    A name of more than `LONGEST_NAME` characters finds nobody: a database refuses thousands of words.
    """
    if len(name) > LONGEST_NAME:
        return false()
    spaced: ColumnElement[Any] = type_coerce(column, Text())
    for sign in BETWEEN_WORDS:
        spaced = func.replace(spaced, sign, " ")
    words = literal(" ") + spaced + " "
    return and_(true(), *(words.icontains(f" {word} ", autoescape=True) for word in name_words(name)))


def within(
    value: SQLColumnExpression[Any], bounds: tuple[float | None, float | None]
) -> list[ColumnElement[bool]]:
    """Return the conditions that a value is within bounds, which may be open."""
    lowest, highest = bounds
    conditions = [] if lowest is None else [value >= lowest]
    return conditions if highest is None else [*conditions, value <= highest]


def rows_with(
    session: Session, query: Select[*Columns], column: SQLColumnExpression[Any], values: Sequence[object]
) -> Iterator[Row[*Columns]]:
    """Yield the rows of a query whose `column` has one of these values, of which there may be many."""
    for some in chunks_of(values, BATCH):
        yield from session.execute(query.where(column.in_(some)))


def rows_after(store: Store, query: Select[int, *Columns], number: int) -> Iterator[Row[int, *Columns]]:
    """Yield the rows of a query whose first column, a unique number, is above `number`, in its order.

    The rows are read in many transactions, so the server may be restarted meanwhile.
    """
    (column, *_) = query.selected_columns
    query = query.order_by(column).limit(BATCH)

    def following(session: Session) -> Sequence[Row[int, *Columns]]:
        return session.execute(query.where(column > number)).all()

    while rows := store.transact(following, reading=True):
        yield from rows
        number = rows[-1][0]


def game_number(session: Session, game: Game) -> int:
    """Return the number of the stored game with the same key. A new game is stored."""
    return game_numbers(session, [game])[game.key]


def game_numbers(session: Session, games: Sequence[Game]) -> dict[str, int]:
    """Return the numbers of games by their keys. New games are stored."""
    insert_new(session, games)
    keys = [game.key for game in games]
    return dict(rows_with(session, select(Game.key, Game.number), Game.key, keys))


def archive_games(session: Session, games: Sequence[ArchivedGame]) -> int:
    """Archive games; return how many were not archived before."""
    if session.get_bind().dialect.name == "postgresql":
        # The numbers must become visible in order, even when several processes archive games.
        session.execute(text("LOCK TABLE archived_games IN SHARE ROW EXCLUSIVE MODE"))
    numbers = game_numbers(session, [archived.game for archived in games])
    for archived in games:
        archived.game_number = numbers[archived.game.key]
    return insert_new(session, games)


def count_archived(session: Session, after: int = 0, share: Share = WHOLE_ARCHIVE) -> int:
    """Return how many games with a number above `after` are archived."""
    later = select(func.count()).where(ArchivedGame.number > after, share.condition())
    return session.scalar(later) or 0


def last_archived(session: Session, share: Share = WHOLE_ARCHIVE) -> int:
    """Return the highest number of an archived game, 0 if there is none."""
    # The database searches from the end, so it reads few games.
    numbers = select(ArchivedGame.number).where(share.condition())
    return session.scalar(numbers.order_by(ArchivedGame.number.desc()).limit(1)) or 0


def first_archived(session: Session, after: int) -> int:
    """Return the lowest number above `after` of an archived game, 0 if there is none."""
    return session.scalar(select(func.min(ArchivedGame.number)).where(ArchivedGame.number > after)) or 0


def archived_after(store: Store, number: int, share: Share = WHOLE_ARCHIVE) -> Iterator[tuple[int, str, str]]:
    """Yield number, start and moves of the archived games with numbers above `number`, see `rows_after`."""
    query = select(ArchivedGame.number, ArchivedGame.start, ArchivedGame.moves).where(share.condition())
    yield from map(tuple, rows_after(store, query, number))


def archived_records(store: Store, number: int) -> Iterator[GameRecord]:
    """Yield the archived games with numbers above `number`, see `rows_after`."""
    columns = (
        *(ArchivedGame.number, ArchivedGame.start, ArchivedGame.moves),
        *(Game.result, Game.white_elo, Game.black_elo),
    )
    query = select(*columns).join(ArchivedGame.game)
    yield from (GameRecord(*row) for row in rows_after(store, query, number))


def archived_numbers(session: Session, filters: GameFilter | None = None) -> list[int]:
    """Return the `ArchivedGame.number` of the archived games that pass the filter, in order."""
    conditions = (filters or GameFilter()).conditions()
    query = select(ArchivedGame.number).join(ArchivedGame.game).where(*conditions)
    return list(session.scalars(query.order_by(ArchivedGame.number)))


def archived_keys(session: Session) -> list[tuple[int, str]]:
    """Return the `ArchivedGame.number` and the `Game.key` of every archived game."""
    keys = session.execute(select(ArchivedGame.number, Game.key).join(ArchivedGame.game))
    return [(number, key) for number, key in keys]


def get_archived(
    session: Session, numbers: Sequence[int], filters: GameFilter | None = None
) -> dict[int, ArchivedGame]:
    """Return the archived games with these numbers that pass the filter, by number."""
    conditions = (filters or GameFilter()).conditions()
    query = select(ArchivedGame).join(ArchivedGame.game).where(*conditions)
    return {game.number: game for (game,) in rows_with(session, query, ArchivedGame.number, numbers)}
