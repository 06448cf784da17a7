"""A puzzle as the solver gets it: what every estimate of its difficulty starts from."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from db.models import Puzzle

# Solver moves that have features of their own. The totals cover all.
DESCRIBED_MOVES = 3


@dataclass(frozen=True)
class Problem:
    """A position, the moves to find (solver first), and the puzzle's tags.

    The position's move stack has the opponent's move before it, if that is known.
    """

    position: chess.Board
    moves: tuple[chess.Move, ...]
    tags: frozenset[str] = frozenset()

    @classmethod
    def of(cls, puzzle: Puzzle) -> Problem:
        """Return the problem of a stored puzzle. Raises `StoreError` if the puzzle is damaged."""
        opponents = puzzle.opponents_move()
        position = puzzle.position()
        if opponents is not None:
            position, move = opponents
            position.push(move)
        return cls(position, tuple(puzzle.moves()), frozenset(puzzle.tags.split()))

    def boards(self) -> list[chess.Board]:
        """Return the positions of the line, each with the moves before it; the last one is its end."""
        boards = [self.position]
        for move in self.moves:
            board = boards[-1].copy()
            board.push(move)
            boards.append(board)
        return boards
