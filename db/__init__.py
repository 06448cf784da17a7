"""The one store: tables, migrations, and finding puzzles in it."""

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
