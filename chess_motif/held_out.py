"""The test data: games and puzzles that no shipped model was trained on.

Hashes decide, so the test data is the same in every program and on every computer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256

# How many of 256 games are for the test: of the games of rated puzzles (with all their puzzles), and of the
# games for ChessPos and ChessBERT.
RATED_SHARE, RETRIEVAL_SHARE = 52, 5

_GAME = re.compile(r"lichess\.org/(\w{8})")


def is_for_test(name: str, share: int) -> bool:
    """Return whether the item of this name is for the test, as are `share` of 256 items."""
    return sha256(name.encode()).digest()[0] < share


def puzzle_is_for_test(puzzle: Mapping[str, str]) -> bool:
    """Return whether a rated puzzle, a row of Lichess' CSV file by column, is for the test.

    The puzzle's game decides, or its id if the game is not known.
    """
    game = _GAME.search(puzzle["GameUrl"])
    return is_for_test(game[1] if game else puzzle["PuzzleId"], RATED_SHARE)


def game_is_for_test(key: str) -> bool:
    """Return whether a game is for the test of ChessPos and ChessBERT. The `key` is already a hash."""
    return int(key[:2], 16) < RETRIEVAL_SHARE
