"""The solution of any position."""

from __future__ import annotations

import chess

from chess_motif.errors import PositionError
from engines.engine import Engine
from engines.locate import find_engine
from puzzlegen.rules import MiningRules
from puzzlegen.verify.solution import Rejection, find_solution


def solve(board: chess.Board, engine_path: str | None = None) -> list[chess.Move]:
    """Return the verified solution of a position, or the beginning of the engine's line if there is none.

    `engine_path` is a path or a command name (default: Stockfish). Raises `PositionError` if the game is
    over, and `EngineError`.
    """
    if board.is_game_over():
        raise PositionError(f"the game is over in {board.fen()}")
    rules = MiningRules()
    with Engine(find_engine(engine_path)) as engine:
        solution = engine.attempt(lambda: find_solution(board, engine, rules))
        if not isinstance(solution, Rejection):
            return list(solution.moves)
        return list(engine.search(board, rules.stages[-1].nodes)[0].moves)
