"""Finding similar puzzles and positions (command `motifsearch`).

`PuzzleSearcher` finds the stored puzzles that share a motif with one, `PositionSearcher` the archived games
in which a similar position occurred. Both stay open and answer many queries. `train` makes a training set of
what a player missed. Everything else in this package may change without notice.
"""

from typing import TYPE_CHECKING

from chess_motif import lazy_names

if TYPE_CHECKING:
    from motifsearch.positions.searcher import PositionFilters, PositionSearcher
    from motifsearch.puzzles.query import PuzzleFilters
    from motifsearch.puzzles.searcher import PuzzleSearcher
    from motifsearch.trainer.train import train

__all__ = ["PositionFilters", "PositionSearcher", "PuzzleFilters", "PuzzleSearcher", "train"]

__getattr__ = lazy_names(
    __name__,
    {
        "motifsearch.positions.searcher": ["PositionFilters", "PositionSearcher"],
        "motifsearch.puzzles.query": ["PuzzleFilters"],
        "motifsearch.puzzles.searcher": ["PuzzleSearcher"],
        "motifsearch.trainer.train": ["train"],
    },
)
