"""What games say about a move: how often it was played, with what results, and where to look it up.

Occurrences of a position and of similar positions go in. Each game counts once, by its nearest position.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import chess
import numpy as np

from chess_motif.errors import InputError
from chess_motif.text import counted
from db.games import get_archived
from db.models import ArchivedGame
from db.store import Store
from engines.uci_server import Outcome
from motifsearch.retrieval.folder import WIN, decode_move
from motifsearch.retrieval.memory import SAME, Neighbours

# The weight of the human-move model's expectation, in games. For 776 positions of 150 master games and a
# memory of 1,500 other games, the squared error of the expected result is .629 by the games alone, .491 by
# the model alone, .496 with a weight of 10, and .490 with 30 to 300.
MODEL_GAMES = 30

# The share of draws in positions that are even by the model, by the Elo of the players: measured in 281
# Lichess games, mostly fast, and in 150 master games.
DRAWS = {1600.0: 0.04, 2500.0: 0.5}

_NUMBER = re.compile(r"\d{1,9}\.\d{1,5}", re.ASCII)


@dataclass(frozen=True)
class Record:
    """The games in which a move was played.

    `same` games had the position itself, and `similar` games a similar position. `wins`, `draws` and `losses`
    are those of the players who played the move; the results of other games are not known. The nearest
    position, by the highest-rated player, is in the game with the number `game`, after `ply` plies.
    """

    same: int
    similar: int
    wins: int
    draws: int
    losses: int
    game: int
    ply: int

    @property
    def known(self) -> int:
        """The number of games with a known result."""
        return self.wins + self.draws + self.losses

    def __str__(self) -> str:
        """Return the counts in words, such as `41 games, 58 %`."""
        if not self.similar:
            games = counted(self.same, "game")
        elif not self.same:
            games = f"{counted(self.similar, 'game')} in similar positions"
        else:
            games = f"{counted(self.same, 'game')} + {self.similar:,} in similar positions"
        score = (self.wins + self.draws / 2) / self.known if self.known else 0.0
        return f"{games}, {100 * score:.0f} %" if self.known else games


def records_of(occurrences: Neighbours) -> dict[chess.Move, Record]:
    """Return the record of each move that was played, in the colours of the side to move."""
    _, first = np.unique(occurrences.rows["game"], return_index=True)
    rows, distances = occurrences.rows[first], np.maximum(SAME, occurrences.distances[first])
    return {
        decode_move(int(move), occurrences.turn): _record(rows[played], distances[played])
        for move in np.unique(rows["move"])
        for played in [rows["move"] == move]
    }


def _record(rows: np.ndarray, distances: np.ndarray) -> Record:
    same = int(np.count_nonzero(distances <= SAME))
    points = rows["points"]
    wins, draws, losses = (int(np.count_nonzero(points == value)) for value in (WIN, WIN / 2, 0))
    best = rows[np.lexsort((-rows["elo"], distances))[0]]
    return Record(same, len(rows) - same, wins, draws, losses, int(best["game"]), int(best["ply"]))


def expected_outcome(result: float, rating: float, record: Record | None) -> Outcome:
    """Return the outcome that is expected after a move, for the side that plays it.

    `result` (-1…1) is the result that the human-move model expects of players with an Elo of `rating`. It is
    combined with the results of the games in which the move was played, which count more if there are many.
    """
    draws = float(np.interp(rating, [*DRAWS], [*DRAWS.values()])) * (1 - result**2)
    wins, losses = (1 - draws + result) / 2, (1 - draws - result) / 2
    if record is None:
        return Outcome(wins, draws, losses)
    games = MODEL_GAMES + record.known
    return Outcome(
        (MODEL_GAMES * wins + record.wins) / games,
        (MODEL_GAMES * draws + record.draws) / games,
        (MODEL_GAMES * losses + record.losses) / games,
    )


@dataclass(frozen=True)
class MoveEvidence:
    """A move, its expected `outcome`, and the games in which it was played.

    `record` counts these games; `game` is the game with the number `record.game`. Both are None if the move
    was never played, or without a memory.
    """

    move: chess.Move
    outcome: Outcome
    record: Record | None = None
    game: ArchivedGame | None = None


def comment_on(san: str, record: Record, archived: ArchivedGame) -> str:
    """Return the comment on a move: its record, and where to look up its nearest position."""
    game = archived.game
    players = f"{_surname(game.white)}–{_surname(game.black)}"
    year = f" {game.date[:4]}" if game.date[:4].isdecimal() else ""
    return f"{san} {record}, {players}{year}, {_address(archived, record.ply)}"


def _surname(name: str) -> str:
    return name.partition(",")[0].strip() or "?"


def _address(archived: ArchivedGame, ply: int) -> str:
    """Return the address of a position on Lichess, or else of its game, or else the position's number."""
    url = archived.game.url
    if url.startswith("https://lichess.org/"):
        return f"{url}#{ply}"
    return url or f"position {archived.number}.{ply}"


def look_up(store: Store, number: str) -> tuple[ArchivedGame, int]:
    """Return the game and the ply of a position, given its number in a comment, such as `4711.22`.

    Raises `InputError` if there is no such position, and `StoreError`.
    """
    if not _NUMBER.fullmatch(number):
        raise InputError(f"{number!r} is not the number of a position, such as 4711.22")
    game, ply = map(int, number.split("."))
    with store.reading() as session:
        archived = get_archived(session, [game]).get(game)
    if archived is None or ply > len(archived.moves.split()):
        raise InputError(f"no archived game has a position {number}")
    return archived, ply
