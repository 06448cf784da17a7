"""UCI engines: finding and running engines, win chances from their scores, and a cache of searches.

A position goes in; its best variations with win chances come out. Knows nothing of puzzles or the database.
`uci_server` offers a player written in Python to chess programs as a UCI engine. `human` has the human-move
model, which predicts what people would play.
"""

from typing import TYPE_CHECKING

from chess_motif import lazy_names

if TYPE_CHECKING:
    from engines.engine import Engine, Until, Variation
    from engines.finding import find_engine, install_command
    from engines.human.model import HumanModel, Prediction, load_human_model
    from engines.options import EngineSetup
    from engines.search_cache import Searcher
    from engines.uci_server import Outcome
    from engines.winchance import win_chance

__all__ = [
    "Engine",
    "EngineSetup",
    "HumanModel",
    "Outcome",
    "Prediction",
    "Searcher",
    "Until",
    "Variation",
    "find_engine",
    "install_command",
    "load_human_model",
    "win_chance",
]

if not TYPE_CHECKING:
    # Out of sight of type checkers, which would believe that it finds any name.
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "engines.engine": ["Engine", "Until", "Variation"],
            "engines.finding": ["find_engine", "install_command"],
            "engines.options": ["EngineSetup"],
            "engines.human.model": ["HumanModel", "Prediction", "load_human_model"],
            "engines.search_cache": ["Searcher"],
            "engines.uci_server": ["Outcome"],
            "engines.winchance": ["win_chance"],
        },
    )
