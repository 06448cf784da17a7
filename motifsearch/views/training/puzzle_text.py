"""A puzzle to solve in a terminal, and what is said of it afterwards."""

from __future__ import annotations

import chess

from chess_motif.boards import solution_san, text_board
from chess_motif.text import counted
from db.models import Kind, Puzzle
from motifsearch.trainer.solving import Solving
from puzzlegen.motifs.tags import seen_words
from puzzlegen.reasons.explained import reasons_of
from puzzlegen.sheets.answers import answer


def question_text(puzzle: Puzzle) -> str:
    """Return the opponent's move, the board, and what is to be found."""
    solving = Solving(puzzle)
    opponents = puzzle.opponents_move()
    lines = []
    if opponents is not None:
        lines.append(f"The opponent plays {solution_san(opponents[0], [opponents[1]])}\n")
    lines.append(board_text(solving))
    return "\n".join(lines)


def board_text(solving: Solving) -> str:
    """Return the board as the solver sees it, and who is to move."""
    solver = solving.puzzle.position().turn
    side = "White" if solver == chess.WHITE else "Black"
    is_puzzle, mates = solving.puzzle.kind == Kind.PUZZLE, solving.puzzle.outcome == "mate"
    asked = "find the best move" if is_puzzle else "find the mate" if mates else "find a good move"
    return f"{text_board(solving.board, solver)}\n\n{side} to move, {asked}"


def answer_text(puzzle: Puzzle) -> str:
    """Return the solution, the motif, and why the solution works."""
    lines = [f"Solution: {answer(puzzle)}", f"Motif: {seen_words(puzzle.all_tags())}"]
    return "\n".join([*lines, *reasons_of(puzzle), f"{puzzle.id}, {puzzle.origin()}"])


def result_text(right: int, tried: int) -> str:
    """Return how many puzzles of a session were right."""
    return f"{right} of {counted(tried, 'puzzle')} right at once"
