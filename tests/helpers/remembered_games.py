"""Games in a memory: a middlegame, an endgame, and games of random moves."""

from __future__ import annotations

import os

import pytest

from db.store import Store
from motifsearch.retrieval.memory.build import build_memory
from tests.helpers.archived_games import archive, random_moves
from tests.helpers.rows import game_row

MIDDLEGAME = "r1bq1rk1/pp1nbppp/2p1pn2/3p4/2PP4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 8"
ENDGAME = "8/5pk1/6p1/R6p/7P/r4PP1/6K1/8 w - - 0 40"

GAMES = (
    game_row("middlegame", MIDDLEGAME, "a2a3 a7a6", white="Ann", black="Bob", result="1-0"),
    game_row("endgame", ENDGAME, "a5a7 g7f6", white="Cid", black="Dan"),
    *(game_row(f"random {seed}", moves=random_moves(seed)) for seed in range(6)),
)


def remember(store: Store) -> None:
    """Archive the games, and build the memory of the store in this process."""
    archive(store, *GAMES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "cpu_count", lambda: 1)
        build_memory(store)
