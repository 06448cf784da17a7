"""The database: its tables and migrations, and storing and finding games and puzzles in it.

In go rows, out come games and puzzles by number, id or filter. Knows nothing of files, engines or searches.
"""

from db.models import Checkpoint, Game, MiningRun, Puzzle
from db.puzzles import (
    PuzzleFilter,
    add_puzzles,
    count_puzzles,
    find_puzzles,
    get_puzzle,
    get_puzzles,
    puzzle_id,
)
from db.store import Store, default_url

__all__ = [
    "Checkpoint",
    "Game",
    "MiningRun",
    "Puzzle",
    "PuzzleFilter",
    "Store",
    "add_puzzles",
    "count_puzzles",
    "default_url",
    "find_puzzles",
    "get_puzzle",
    "get_puzzles",
    "puzzle_id",
]
