"""The 17 attributes of a meaningful search tree that say how hard its puzzle is for a person.

Names and definitions are those of Stoiljkovikj, *Computer-based estimation of the difficulty of chess
tactical problems* (Ljubljana 2015), Table 2.1 and Algorithms 2 to 16 (attribute 17 is in Table 2.1 only).
If algorithm and worked example differ, the example counts. Details of our own:

- A move that occurs in several branches of a level adds its distance once (Algorithm 11 adds it each time).
- A piece is identified by its kind and its square (Algorithm 14 leaves this open), so it counts twice if it
is
  on different squares in two branches.
- The legal moves of a level count even if none of them is meaningful (Algorithm 3 stops at the last level
  with a meaningful move; the trees of Algorithm 1 have no other levels, see `puzzlegen.difficulty.tree`).
- A bare king counts as a pawn (Algorithm 16 would divide by zero).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import chess

from chess_motif.material import material_value
from db.evaluations import keep_evaluations, lookup
from db.models import Puzzle
from db.store import Store
from engines.engine import Engine
from engines.options import EngineChoice
from engines.search_cache import CachedEngine
from puzzlegen.difficulty.tree import (
    MeaningfulTree,
    TreeMove,
    TreePosition,
    TreeRules,
    meaningful_tree,
    moves_of,
)

# Levels that have attributes of their own.
LEVELS = range(1, TreeRules.levels + 1)


class TreeAttributes:
    """The attributes of a tree. Levels are counted from 1; those that the tree does not reach have zeros."""

    def __init__(self, tree: MeaningfulTree) -> None:
        """Read the attributes of `tree`."""
        self.tree = tree
        self._positions = dict(enumerate(tree.levels(), 1))
        self._moves = {level: list(moves_of(positions)) for level, positions in self._positions.items()}

    @property
    def depth(self) -> int:
        """The number of levels that have a move (section 2.5.1)."""
        return sum(1 for moves in self._moves.values() if moves)

    def meaningful(self, level: int) -> int:
        """Return the number of moves in the tree at a level (section 2.5.2)."""
        return len(self._moves.get(level, []))

    def possible_moves(self, level: int) -> int:
        """Return the number of legal moves of all positions of a level (section 2.5.3)."""
        return sum(position.legal_moves for position in self._positions.get(level, []))

    def branching(self, level: int) -> float:
        """Return the number of moves of a level divided by that of the previous level (section 2.5.5)."""
        fathers = 1 if level == 1 else self.meaningful(level - 1)
        return self.meaningful(level) / fathers if fathers else 0.0

    def narrow_solutions(self, level: int) -> int:
        """Return how many positions of a level have a single meaningful move (section 2.5.7)."""
        return sum(len(position.moves) == 1 for position in self._positions.get(level, []))

    def move_ratio(self, level: int) -> float:
        """Return the share of the legal moves of a level that are meaningful (section 2.5.10)."""
        possible = self.possible_moves(level)
        return self.meaningful(level) / possible if possible else 0.0

    def seemingly_good(self) -> int:
        """Return the number of first moves that fail because of a single reply (section 2.5.11)."""
        return len(self.tree.seemingly_good)

    def distance(self, level: int) -> int:
        """Return the total distance of the different moves of a level, in king moves (section 2.5.12)."""
        squares = {(move.move.from_square, move.move.to_square) for _, move in self._moves.get(level, [])}
        return sum(chess.square_distance(*move) for move in squares)

    def pieces(self, level: int) -> int:
        """Return how many different pieces move at a level (section 2.5.15)."""
        return len({_piece(position, move) for position, move in self._moves.get(level, [])})

    def piece_value_ratio(self) -> float:
        """Return the solver's material divided by the opponent's, without kings (section 2.5.17).

        A bare king counts as a pawn.
        """
        board = self.tree.root.board
        return material_value(board, board.turn) / max(1, material_value(board, not board.turn))

    def winning_no_checkmate(self) -> int:
        """Return the number of first moves that win without mating (Table 2.1, attribute 17)."""
        return sum(not move.score.is_mate() for move in self.tree.root.moves)

    def vector(self) -> dict[str, float]:
        """Return all attributes by their names in the thesis, such as `Meaningful(1)`."""
        return {
            **{
                f"{name}({level})": value(self, level) for name, value in BY_LEVEL.items() for level in LEVELS
            },
            **{name: of(self) for name, of in OF_TREE.items()},
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the attributes and the tree as the keys and values of their JSON object."""
        return {"attributes": self.vector(), **self.tree.as_dict()}


def _total(of: Callable[[TreeAttributes, int], float]) -> Callable[[TreeAttributes], float]:
    """Return the attribute of the whole tree that is the sum of an attribute of the levels."""
    return lambda attributes: sum(of(attributes, level) for level in LEVELS)


def _average(of: Callable[[TreeAttributes, int], float]) -> Callable[[TreeAttributes], float]:
    """Return the attribute of the whole tree that is the average of an attribute of its levels."""
    return lambda attributes: _total(of)(attributes) / attributes.depth if attributes.depth else 0.0


# The attributes that each level has, and those of the whole tree, in the order of Table 2.1.
BY_LEVEL: dict[str, Callable[[TreeAttributes, int], float]] = {
    "Meaningful": TreeAttributes.meaningful,
    "PossibleMoves": TreeAttributes.possible_moves,
    "Branching": TreeAttributes.branching,
    "NarrowSolution": TreeAttributes.narrow_solutions,
    "MoveRatio": TreeAttributes.move_ratio,
    "Distance": TreeAttributes.distance,
    "Pieces": TreeAttributes.pieces,
}
OF_TREE: dict[str, Callable[[TreeAttributes], float]] = {
    # Sections 2.5.4, 2.5.6, 2.5.8, 2.5.9.
    "AllPossibleMoves": _total(TreeAttributes.possible_moves),
    "AverageBranching": _average(TreeAttributes.branching),
    "AllNarrowSolutions": _total(TreeAttributes.narrow_solutions),
    "TreeSize": _total(TreeAttributes.meaningful),
    "SeeminglyGood": TreeAttributes.seemingly_good,
    # Sections 2.5.13, 2.5.14, 2.5.16. A piece counts again at each level.
    "SumDistance": _total(TreeAttributes.distance),
    "AverageDistance": _average(TreeAttributes.distance),
    "AllPiecesInvolved": _total(TreeAttributes.pieces),
    "PieceValueRatio": TreeAttributes.piece_value_ratio,
    "WinningNoCheckmate": TreeAttributes.winning_no_checkmate,
}


def stored_attributes(store: Store, puzzle: Puzzle, engine: EngineChoice = None) -> TreeAttributes:
    """Return the attributes of a stored puzzle, and store the results of the searches for its tree.

    Stored searches are not repeated; a read-only store keeps no new ones. `engine` is a path, a command name
    or an `EngineSetup` (default: Stockfish, wherever it is installed). Raises `EngineError` and `StoreError`.
    """
    position = puzzle.position()
    with Engine(engine) as opened:
        searcher = CachedEngine(opened, lookup(store))
        tree = meaningful_tree(position, searcher)
    if not store.read_only:
        store.transact(partial(keep_evaluations, results=searcher.found))
    return TreeAttributes(tree)


def _piece(position: TreePosition, move: TreeMove) -> tuple[chess.Piece | None, chess.Square]:
    """Return what identifies a piece on a level: its kind and its square."""
    square = move.move.from_square
    return position.board.piece_at(square), square
