"""What a player of this room decides: the moves in order of preference, and the games that they come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

import chess

from db.models import ArchivedGame
from motifsearch.retrieval.memory.memory import SAME, Memory, Recollection

# Games that are named for a move.
NAMED_GAMES = 3


@dataclass(frozen=True)
class Decision:
    """All legal moves in order of preference, and what the memory had to say, None without one.

    `votes` are the shares (0…1) of the moves in similar positions, or in the position itself if it is
    `well_known`.
    """

    moves: Sequence[chess.Move]
    votes: Mapping[chess.Move, float]
    recollection: Recollection | None = None
    well_known: bool = False


class Decider(Protocol):
    """A player."""

    def decide(self, board: chess.Board) -> Decision:
        """Return what it would play in a position with a legal move. Raises `StoreError`."""


def by_score(board: chess.Board, scores: Mapping[chess.Move, float]) -> list[chess.Move]:
    """Return all legal moves, those with the highest scores first and those without one last.

    Moves of the same score are in random order, always the same in a position.
    """
    moves = list(board.legal_moves)
    Random(board.epd()).shuffle(moves)
    return sorted(moves, key=lambda move: -scores.get(move, float("-inf")))


def sources(memory: Memory, decision: Decision, move: chess.Move) -> Iterator[str]:
    """Yield a line on each of some games in which the move was played, the nearest ones.

    Of those in which the position itself occurred, they are the games of the highest-rated players. Raises
    `StoreError`.
    """
    recollection = decision.recollection
    if recollection is None:
        return
    rows = [row for row, played in enumerate(recollection.moves()) if played == move]
    rows.sort(key=lambda row: (max(SAME, recollection.distances[row]), -recollection.rows["elo"][row]))
    nearest = recollection.rows[rows[:NAMED_GAMES]]
    games = memory.games(nearest["game"].tolist())
    for row, occurrence in zip(rows, nearest, strict=False):
        how = "the same position" if recollection.distances[row] <= SAME else "a similar position"
        yield f"{_named(games[int(occurrence['game'])])}: {how} at move {occurrence['ply'] // 2 + 1}"


def _named(archived: ArchivedGame) -> str:
    """Return the players, the year and the result of a game."""
    game = archived.game
    year = game.date[:4] if game.date[:4].isdecimal() else ""
    words = [f"{game.white or '?'} – {game.black or '?'}", year, game.result]
    return ", ".join(word for word in words if word and word != "*")
