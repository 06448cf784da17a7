"""Everything that evaluates or plays a position: UCI processes and the scale of their scores."""

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
