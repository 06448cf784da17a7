"""What no shipped model has learned from, so that it can be tested on it.

Hashes decide, so that it is the same in every program and on every computer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256

# Of 256 things, this many are for the test: of the games of rated puzzles, with all their puzzles, and of the
# games that ChessPos and ChessBERT learn from.
RATED_SHARE, RETRIEVAL_SHARE = 52, 5

_GAME = re.compile(r"lichess\.org/(\w{8})")


def is_for_test(name: str, share: int) -> bool:
    """Return whether what has this name is for the test, as are `share` of 256 things."""
    return sha256(name.encode()).digest()[0] < share


def puzzle_is_for_test(puzzle: Mapping[str, str]) -> bool:
    """Return whether a rated puzzle, a row of Lichess' CSV file by column, is for the test.

    Its game decides, or its id if that is not known.
    """
    game = _GAME.search(puzzle["GameUrl"])
    return is_for_test(game[1] if game else puzzle["PuzzleId"], RATED_SHARE)


def game_is_for_test(key: str) -> bool:
    """Return whether a game is for the test of ChessPos and ChessBERT. Its key is a hash itself."""
    return int(key[:2], 16) < RETRIEVAL_SHARE
