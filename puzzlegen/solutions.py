"""Tags, reasons and difficulty of a position and its solution, without a database.

`puzzlegen.verify.solution` finds the solution itself. The position's move stack may have the opponent's last
move: whether it was a capture matters to some tags and reasons, and to the difficulty.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import chess

from chess_motif.material import Capture, capture_by
from chess_motif.notation import check_line
from db.models import Puzzle
from engines.human.model import load_human_model, model_file
from puzzlegen.difficulty.rating import Estimate, Problem, RatingModel, load_rating_model
from puzzlegen.reasons.explained import reasons_of_line
from puzzlegen.reasons.tactics import Tactics


def tag_solution(board: chess.Board, moves: Sequence[chess.Move]) -> list[str]:
    """Return the sorted tags of a solution, solver first: motifs, length, and phase of the game.

    docs/reference/tags.md says what each tag means. Raises `PositionError` if the position or a move is not
    legal.
    """
    return Tactics(board, check_line(board, moves), _capture_before(board)).tags()


def explain_solution(board: chess.Board, moves: Sequence[chess.Move]) -> list[str]:
    """Return up to three sentences that say why a solution works, solver first; empty if no reason is known.

    Raises `PositionError` if the position or a move is not legal.
    """
    return reasons_of_line(board, check_line(board, moves), _capture_before(board))


def rate_solution(board: chess.Board, moves: Sequence[chess.Move]) -> Estimate:
    """Return how hard a solution is to find, solver first: the rating that the puzzle would get on Lichess.

    Raises `PositionError` if the position or a move is not legal, and `HumanModelError`.
    """
    line = check_line(board, moves)
    problem = Problem(board, line, frozenset(tag_solution(board, line)))
    (estimate,) = rating_model(model_file()).estimate([problem])
    return estimate


def set_difficulties(puzzles: Sequence[Puzzle]) -> None:
    """Set the estimated difficulties of puzzles. Raises `HumanModelError`."""
    if puzzles:
        estimates = rating_model(model_file()).estimate([Problem.of(puzzle) for puzzle in puzzles])
        for puzzle, estimate in zip(puzzles, estimates, strict=True):
            puzzle.difficulty, puzzle.difficulty_margin, puzzle.first_move_chance = estimate


@cache
def rating_model(human_model: Path) -> RatingModel:
    """Return the rating model for a file of the human-move model, loaded once per process.

    Raises `HumanModelError`.
    """
    return load_rating_model(load_human_model(human_model))


def _capture_before(board: chess.Board) -> Capture | None:
    """Return the capture by the last move on the move stack, or None."""
    if not board.move_stack:
        return None
    before = board.copy()
    move = before.pop()
    return capture_by(before, move)
