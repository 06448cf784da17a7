"""The database: its tables and migrations, and how games and puzzles are stored and found in it.

Rows go in; games and puzzles come out, by number, id or filter. A `PackedFile` has searched positions and
needs no database. Knows nothing of game files, engines or search indexes.
"""

from typing import TYPE_CHECKING

from chess_motif import lazy_names

if TYPE_CHECKING:
    from db.analyses import Opportunity, OpportunityKind
    from db.games import GameFilter
    from db.models import ArchivedGame, DeletedPuzzle, Game, Kind, Puzzle
    from db.packed.file import PackedFile
    from db.packed.verdicts import PackedEntry, Verdict
    from db.puzzles import PuzzleFilter, count_puzzles, find_puzzles, get_puzzle
    from db.selection import Selection, Sort
    from db.sets import SetEntry, SetSummary, delete_set, set_entries
    from db.store import Store

__all__ = [
    "ArchivedGame",
    "DeletedPuzzle",
    "Game",
    "GameFilter",
    "Kind",
    "Opportunity",
    "OpportunityKind",
    "PackedEntry",
    "PackedFile",
    "Puzzle",
    "PuzzleFilter",
    "Selection",
    "SetEntry",
    "SetSummary",
    "Sort",
    "Store",
    "Verdict",
    "count_puzzles",
    "delete_set",
    "find_puzzles",
    "get_puzzle",
    "set_entries",
]

if not TYPE_CHECKING:
    # Out of sight of type checkers, which would believe that it finds any name.
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "db.analyses": ["Opportunity", "OpportunityKind"],
            "db.games": ["GameFilter"],
            "db.models": ["ArchivedGame", "DeletedPuzzle", "Game", "Kind", "Puzzle"],
            "db.packed.file": ["PackedFile"],
            "db.packed.verdicts": ["PackedEntry", "Verdict"],
            "db.puzzles": ["PuzzleFilter", "count_puzzles", "find_puzzles", "get_puzzle"],
            "db.selection": ["Selection", "Sort"],
            "db.sets": ["SetEntry", "SetSummary", "delete_set", "set_entries"],
            "db.store": ["Store"],
        },
    )
