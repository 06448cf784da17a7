"""Games to search among for similar positions, and results without a search."""

from __future__ import annotations

from random import Random
from typing import Any

import chess

from db.games import archive_games
from db.models import ArchivedGame, Game
from db.store import Store
from motifsearch.positions.searcher import PositionHit
from tests.helpers.rows import game_row

ROOKS = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
QUEENS = "q5k1/5ppp/8/8/8/8/5PPP/Q5K1 w - - 0 1"
KINGS = "6k1/8/8/8/8/8/8/6K1 w - - 0 1"

GAMES = (
    game_row("rook", ROOKS, "a1a7 g8f8"),
    game_row("queen", QUEENS, "a1a8"),
    game_row("king", KINGS, "g1f2 g8f7"),
)


def random_moves(seed: int) -> str:
    """Return the moves of a game of up to 60 random ones, in UCI."""
    random, board = Random(seed), chess.Board()
    while len(board.move_stack) < 60 and not board.is_game_over():
        board.push(random.choice(list(board.legal_moves)))
    return " ".join(move.uci() for move in board.move_stack)


def archive(store: Store, *games: ArchivedGame) -> None:
    with store.session() as session:
        archive_games(session, games)


def found(
    key: str, score: float, rank: int = 1, start: str = ROOKS, ply: int = 0, **facts: Any
) -> PositionHit:
    """Return a search result without a search. The first letters of their keys must differ."""
    game = ArchivedGame(start=start, moves="", game=Game(key=key, **facts))
    game.number = ord(key[0])
    return PositionHit(rank, score, game, ply, {})
