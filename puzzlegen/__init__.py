"""Verified tactical puzzles from games (command `puzzlegen`).

`mine` reads game archives and stores puzzles in a `db.Store`; `import_puzzles` and `export_puzzles` read and
write files of puzzles; `audit`, `rate` and `retag` work on stored puzzles; `simplify` removes needless pieces
from one. Everything else in this package may change without notice.
"""

from typing import TYPE_CHECKING

from chess_motif import lazy_names

if TYPE_CHECKING:
    from puzzlegen.formats.exporting import export_puzzles
    from puzzlegen.formats.importing import import_puzzles
    from puzzlegen.mining.run import mine
    from puzzlegen.rules import MiningRules, Pattern
    from puzzlegen.upkeep.audit import audit
    from puzzlegen.upkeep.rate import rate
    from puzzlegen.upkeep.retag import retag
    from puzzlegen.upkeep.simplify import simplify

__all__ = [
    "MiningRules",
    "Pattern",
    "audit",
    "export_puzzles",
    "import_puzzles",
    "mine",
    "rate",
    "retag",
    "simplify",
]

__getattr__ = lazy_names(
    __name__,
    {
        "MiningRules": "puzzlegen.rules",
        "Pattern": "puzzlegen.rules",
        "audit": "puzzlegen.upkeep.audit",
        "export_puzzles": "puzzlegen.formats.exporting",
        "import_puzzles": "puzzlegen.formats.importing",
        "mine": "puzzlegen.mining.run",
        "rate": "puzzlegen.upkeep.rate",
        "retag": "puzzlegen.upkeep.retag",
        "simplify": "puzzlegen.upkeep.simplify",
    },
)
