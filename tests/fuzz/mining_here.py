"""Mining without worker processes and without an engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar
from zlib import crc32

import chess
from chess.engine import Cp

from engines.engine import Variation
from engines.search_cache import CachedEngine
from engines.winchance import win_chance
from puzzlegen.games.split import RawGame
from puzzlegen.mining.game import GameResult, mine_game
from puzzlegen.mining.worker import WorkerConfig
from tests.helpers.pool_here import PoolHere

T = TypeVar("T")


class MadeUpPool(PoolHere):
    """Mines by evaluations that are made up."""

    def __init__(self, count: int, config: WorkerConfig) -> None:
        self._config = config
        self._searcher = CachedEngine(_MadeUpEngine())  # type: ignore[arg-type]

    def engine_name(self) -> str:
        return _MadeUpEngine.name

    def mine(self, game: RawGame) -> GameResult:
        return mine_game(game, self._searcher, self._config.rules, self._config.player)


class _MadeUpEngine:
    """Scores each move by a checksum: one in forty wins, so that games have blunders and puzzles."""

    name = settings = "Made up"
    scale = 1.0
    searches = nodes = 0

    def search(
        self, board: chess.Board, nodes: int, lines: int = 1, depth: int | None = None
    ) -> list[Variation]:
        return _made_up(board.epd())[:lines]

    def attempt(self, work: Callable[[], T]) -> T:
        return work()


@lru_cache(1000)
def _made_up(epd: str) -> list[Variation]:
    """Return the variations of a position, best first. Hostile archives repeat the same few games."""
    position = crc32(epd.encode())
    sums = {move: crc32(move.uci().encode(), position) for move in chess.Board.from_epd(epd)[0].legal_moves}
    scores = {move: 900 if number % 40 == 0 else number % 100 - 50 for move, number in sums.items()}
    best = sorted(scores, key=lambda move: (-scores[move], move.uci()))
    return [Variation((move,), Cp(scores[move]), win_chance(Cp(scores[move]))) for move in best]
