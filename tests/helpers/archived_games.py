"""Games to search among for similar positions, and results without a search."""

from __future__ import annotations

from typing import Any

from db.games import archive_games
from db.models import ArchivedGame, Game
from db.store import Store
from motifsearch.positions.searcher import PositionHit

ROOKS = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
QUEENS = "q5k1/5ppp/8/8/8/8/5PPP/Q5K1 w - - 0 1"
KINGS = "6k1/8/8/8/8/8/8/6K1 w - - 0 1"


def game(key: str, start: str, moves: str, **facts: Any) -> dict[str, Any]:
    """Return the columns of a game; its positions are searched from its start on."""
    return {"key": key, "start": start, "moves": moves, **facts}


GAMES = (
    game("rook", ROOKS, "a1a7 g8f8"),
    game("queen", QUEENS, "a1a8"),
    game("king", KINGS, "g1f2 g8f7"),
)


def archive(store: Store, *games: dict[str, Any]) -> None:
    with store.session() as session:
        archive_games(session, games)


def found(
    key: str, score: float, rank: int = 1, start: str = ROOKS, ply: int = 0, **facts: Any
) -> PositionHit:
    """Return a result that no search has found. Games are told apart by the first letter of their keys."""
    played = Game(key=key, **{"white": "", "black": "", "date": "", **facts})
    game = ArchivedGame(number=ord(key[0]), start=start, moves="", game=played)
    return PositionHit(rank, score, game, ply, {})
