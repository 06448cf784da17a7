"""Everything that evaluates or plays a position: UCI processes and the scale of their scores."""

from engines.locate import find_engine
from engines.uci import UciEngine, Variation
from engines.winchance import centipawn_scale, win_chance, win_chance_of_centipawns

__all__ = [
    "UciEngine",
    "Variation",
    "centipawn_scale",
    "find_engine",
    "win_chance",
    "win_chance_of_centipawns",
]
