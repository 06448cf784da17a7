"""Finding similar puzzles and positions (command `motifsearch`).

`PuzzleSearcher` finds the stored puzzles that share a motif with one, `PositionSearcher` the archived games
in which a similar position occurred. Both stay open and answer many queries. `train` makes a training set of
what a player missed; `make_set` and `add_to_set` make one of puzzles that a coach chooses, and `set_results`
says what students made of it. `Solving` is a puzzle that somebody solves. Everything else in this package may
change without notice.
"""

from typing import TYPE_CHECKING

from chess_motif import lazy_names

if TYPE_CHECKING:
    from motifsearch.positions.searcher import PositionFilters, PositionSearcher
    from motifsearch.puzzles.query import PuzzleFilters
    from motifsearch.puzzles.searcher import PuzzleSearcher
    from motifsearch.trainer.coach import add_to_set, make_set, set_results
    from motifsearch.trainer.solving import Solving
    from motifsearch.trainer.train import train

__all__ = [
    "PositionFilters",
    "PositionSearcher",
    "PuzzleFilters",
    "PuzzleSearcher",
    "Solving",
    "add_to_set",
    "make_set",
    "set_results",
    "train",
]

__getattr__ = lazy_names(
    __name__,
    {
        "motifsearch.positions.searcher": ["PositionFilters", "PositionSearcher"],
        "motifsearch.puzzles.query": ["PuzzleFilters"],
        "motifsearch.puzzles.searcher": ["PuzzleSearcher"],
        "motifsearch.trainer.coach": ["add_to_set", "make_set", "set_results"],
        "motifsearch.trainer.solving": ["Solving"],
        "motifsearch.trainer.train": ["train"],
    },
)
