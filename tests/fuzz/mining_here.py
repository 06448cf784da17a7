"""Mining without worker processes and without an engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar
from unittest.mock import patch
from zlib import crc32

import chess
from chess.engine import Cp

from engines.engine import Until, Variation
from engines.winchance import win_chance
from puzzlegen.mining.workers import Pool, WorkerConfig
from tests.helpers.pool_here import worker_here

T = TypeVar("T")


def made_up_pool(count: int, config: WorkerConfig) -> Pool:
    """Return a pool that mines by evaluations that are made up, and reuses none."""
    workers = "puzzlegen.mining.workers"
    with patch(f"{workers}.Engine", MadeUpEngine):
        return worker_here(count, replace(config, store=None))


class MadeUpEngine:
    """Scores each move by a checksum: one in forty wins, so that games have blunders and puzzles."""

    name = settings = label = "Made up"
    scale = 1.0
    searches = nodes = 0

    def __init__(self, command: str) -> None:
        pass

    def __enter__(self) -> MadeUpEngine:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def close(self) -> None:
        pass

    def search(
        self,
        board: chess.Board,
        nodes: int,
        lines: int = 1,
        depth: int | None = None,
        until: Until | None = None,
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
