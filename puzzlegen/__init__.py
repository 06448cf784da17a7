"""Verified tactical puzzles from games (command `puzzlegen`).

`mine` reads game archives and stores puzzles in a `db.Store`, and `find_opportunities` stores what a player
had and missed, by the name that `find_players` finds; `import_puzzles` and `export_puzzles` read and write
files of puzzles; `pack_store`, `pack_archives` and `merge_packed` write packed files of positions; `audit`,
`rate` and `retag` work on stored puzzles; `simplify` removes needless pieces from one. Everything else in
this package may change without notice.
"""

from typing import TYPE_CHECKING

from chess_motif import lazy_names

if TYPE_CHECKING:
    from puzzlegen.cache import merge_packed, pack_archives, pack_store
    from puzzlegen.formats.exporting import ExportOptions, export_puzzles
    from puzzlegen.formats.importing import import_puzzles
    from puzzlegen.games.players import find_players
    from puzzlegen.mining.opportunities import find_opportunities
    from puzzlegen.mining.run import mine
    from puzzlegen.rules import ExerciseRules, MiningRules, Pattern
    from puzzlegen.upkeep.audit import audit
    from puzzlegen.upkeep.changes import rate, retag
    from puzzlegen.upkeep.simplify import simplify

__all__ = [
    "ExerciseRules",
    "ExportOptions",
    "MiningRules",
    "Pattern",
    "audit",
    "export_puzzles",
    "find_opportunities",
    "find_players",
    "import_puzzles",
    "merge_packed",
    "mine",
    "pack_archives",
    "pack_store",
    "rate",
    "retag",
    "simplify",
]

__getattr__ = lazy_names(
    __name__,
    {
        "puzzlegen.cache": ["merge_packed", "pack_archives", "pack_store"],
        "puzzlegen.formats.exporting": ["ExportOptions", "export_puzzles"],
        "puzzlegen.formats.importing": ["import_puzzles"],
        "puzzlegen.games.players": ["find_players"],
        "puzzlegen.mining.opportunities": ["find_opportunities"],
        "puzzlegen.mining.run": ["mine"],
        "puzzlegen.rules": ["ExerciseRules", "MiningRules", "Pattern"],
        "puzzlegen.upkeep.audit": ["audit"],
        "puzzlegen.upkeep.changes": ["rate", "retag"],
        "puzzlegen.upkeep.simplify": ["simplify"],
    },
)
