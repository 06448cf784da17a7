"""UCI engines: finding, starting and asking them, the scale of their scores, and a cache of searches.

In goes a position, out come its best variations with win chances. Knows nothing of puzzles or of the
database.
"""

from engines.engine import Engine, Variation
from engines.locate import find_engine
from engines.winchance import centipawn_scale, win_chance, win_chance_of_centipawns

__all__ = [
    "Engine",
    "Variation",
    "centipawn_scale",
    "find_engine",
    "win_chance",
    "win_chance_of_centipawns",
]
