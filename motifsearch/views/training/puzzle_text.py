"""A puzzle to solve in a terminal, and what is said of it afterwards."""

from __future__ import annotations

from chess_motif.boards import solution_san, text_board, to_move
from chess_motif.text import counted
from db.models import Kind, Puzzle
from motifsearch.trainer.solving import Solving
from puzzlegen.motifs.tags import seen_words
from puzzlegen.reasons.explained import reasons_of
from puzzlegen.sheets.answers import answer, asks_for_mate


def question_text(solving: Solving) -> str:
    """Return the opponent's move, the board, and what is to be found."""
    opponents = solving.puzzle.opponents_move()
    if opponents is None:
        return board_text(solving)
    before, move = opponents
    return f"The opponent plays {solution_san(before, [move])}\n\n{board_text(solving)}"


def board_text(solving: Solving) -> str:
    """Return the board as the solver sees it, and who is to move."""
    puzzle, position = solving.puzzle, solving.puzzle.position()
    is_puzzle = puzzle.kind == Kind.PUZZLE
    asked = "the best move" if is_puzzle else "the mate" if asks_for_mate(puzzle) else "a good move"
    return f"{text_board(solving.board, position.turn)}\n\n{to_move(position)}, find {asked}"


def answer_text(puzzle: Puzzle) -> str:
    """Return the solution, the motif, and why the solution works."""
    lines = [f"Solution: {answer(puzzle)}", f"Motif: {seen_words(puzzle.all_tags())}"]
    return "\n".join([*lines, *reasons_of(puzzle), f"{puzzle.id}, {puzzle.origin()}"])


def result_text(right: int, tried: int) -> str:
    """Return how many puzzles of a session were right."""
    return f"{right} of {counted(tried, 'puzzle')} right at once"
