"""The database: its tables and migrations, and how games and puzzles are stored and found in it.

Rows go in; games and puzzles come out, by number, id or filter. A `PackedFile` has positions that were
searched, apart from any database. Knows nothing of files of games, engines or search indexes.
"""

from typing import TYPE_CHECKING

from chess_motif import lazy_names

if TYPE_CHECKING:
    from db.games import GameFilter
    from db.models import Game, Kind, Puzzle
    from db.packed.file import PackedFile
    from db.puzzles import PuzzleFilter, count_puzzles, find_puzzles, get_puzzle
    from db.selection import Selection, Sort
    from db.store import Store

__all__ = [
    "Game",
    "GameFilter",
    "Kind",
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

if not TYPE_CHECKING:
    # Out of sight of type checkers, which would believe that it finds any name.
    __getattr__ = lazy_names(
        __name__,
        {
            "db.games": ["GameFilter"],
            "db.models": ["Game", "Kind", "Puzzle"],
            "db.packed.file": ["PackedFile"],
            "db.puzzles": ["PuzzleFilter", "count_puzzles", "find_puzzles", "get_puzzle"],
            "db.selection": ["Selection", "Sort"],
            "db.store": ["Store"],
        },
    )
