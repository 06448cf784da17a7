"""An engine that agrees with every line, so that the rules of chess alone decide."""

from __future__ import annotations

from collections.abc import Sequence

import chess
from chess.engine import Cp

from engines.engine import Until, Variation
from engines.winchance import win_chance


class AgreeingEngine:
    """Thinks that the solver wins by the one move that the line has at this ply."""

    def __init__(self, position: chess.Board, moves: Sequence[chess.Move]) -> None:
        self.solver = position.turn
        self.moves = moves

    def search(
        self,
        board: chess.Board,
        nodes: int,
        lines: int = 1,
        depth: int | None = None,
        until: Until | None = None,
    ) -> list[Variation]:
        ply = 2 * (board.fullmove_number - 1) + (board.turn != chess.WHITE) - (self.solver != chess.WHITE)
        move = self.moves[ply] if ply < len(self.moves) else next(iter(board.legal_moves))
        score = Cp(700 if board.turn == self.solver else -700)
        return [Variation((move,), score, win_chance(score))]
