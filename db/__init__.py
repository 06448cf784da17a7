"""The database: its tables and migrations, and how games and puzzles are stored and found in it.

Rows go in; games and puzzles come out, by number, id or filter. A `PackedFile` has positions that were
searched, apart from any database. Knows nothing of files of games, engines or search indexes.
"""

from typing import TYPE_CHECKING

from chess_motif import lazy_names

if TYPE_CHECKING:
    from db.games import GameFilter
    from db.models import Game, Puzzle
    from db.packed.file import PackedFile
    from db.puzzles import PuzzleFilter, count_puzzles, find_puzzles, get_puzzle
    from db.selection import Selection, Sort
    from db.store import Store

__all__ = [
    "Game",
    "GameFilter",
    "PackedFile",
    "Puzzle",
    "PuzzleFilter",
    "Selection",
    "Sort",
    "Store",
    "count_puzzles",
    "find_puzzles",
    "get_puzzle",
]

__getattr__ = lazy_names(
    __name__,
    {
        "db.games": ["GameFilter"],
        "db.models": ["Game", "Puzzle"],
        "db.packed.file": ["PackedFile"],
        "db.puzzles": ["PuzzleFilter", "count_puzzles", "find_puzzles", "get_puzzle"],
        "db.selection": ["Selection", "Sort"],
        "db.store": ["Store"],
    },
)
