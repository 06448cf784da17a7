"""UCI engines: finding and running them, win chances from their scores, and a cache of searches.

A position goes in; its best variations with win chances come out. Knows nothing of puzzles or the database.
"""

from typing import TYPE_CHECKING

from chess_motif.lazy import lazy_names

if TYPE_CHECKING:
    from engines.engine import Engine, Variation
    from engines.locate import find_engine
    from engines.winchance import win_chance

__all__ = ["Engine", "Variation", "find_engine", "win_chance"]

__getattr__ = lazy_names(
    __name__,
    {
        "Engine": "engines.engine",
        "Variation": "engines.engine",
        "find_engine": "engines.locate",
        "win_chance": "engines.winchance",
    },
)
