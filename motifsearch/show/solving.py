"""A puzzle that somebody solves in a terminal, as text: question, moves, and answer."""

from __future__ import annotations

import chess

from chess_motif.boards import side_name, solution_san, text_board, to_move
from chess_motif.notation import parse_move
from chess_motif.text import counted
from db.models import Kind, Puzzle
from db.sets import SetEntry
from motifsearch.trainer.refutation import Refutation
from motifsearch.trainer.solving import Solving
from puzzlegen.formats.answers import answer, asks_for_mate
from puzzlegen.motifs.tags import seen_words
from puzzlegen.reasons.explained import reasons_of


def question_text(solving: Solving) -> str:
    """Return the opponent's move, the board, and what is to be found."""
    opponents = solving.puzzle.opponents_move()
    if opponents is None:
        return board_text(solving)
    before, move = opponents
    return f"{side_name(before.turn)} plays {solution_san(before, [move])}\n\n{board_text(solving)}"


def board_text(solving: Solving) -> str:
    """Return the board as the solver sees it, who is to move, and what the board does not show."""
    puzzle, position = solving.puzzle, solving.puzzle.position()
    is_puzzle = puzzle.kind == Kind.PUZZLE
    asked = "the best move" if is_puzzle else "the mate" if asks_for_mate(puzzle) else "a good move"
    said = "\n".join(filter(None, [f"{to_move(position)}, find {asked}", solving.rights]))
    return f"{text_board(solving.board, position.turn)}\n\n{said}"


def reply_text(solving: Solving) -> str:
    """Return that the move was right, what the opponent has replied, and the board."""
    assert solving.reply is not None
    before = solving.board.copy()
    before.pop()
    reply = solution_san(before, [solving.reply])
    return f"Yes. {side_name(before.turn)} replies {reply}\n\n{board_text(solving)}"


def unclear_text(solving: Solving) -> str:
    """Return the question which of several moves is meant."""
    board, moves = solving.board, solving.unclear
    sans = [board.san(move) for move in moves]
    if len(sans) == 1:
        return f"Which piece? Only {sans[0]} is possible: type 'yes' if you mean it."
    if moves[0].promotion and len({move.from_square for move in moves}) == 1:
        asked = "Which piece does the pawn become"
    elif len({move.to_square for move in moves}) == 1:
        asked = f"Which piece goes to {chess.square_name(moves[0].to_square)}"
    else:
        asked = "Which move"
    return f"{asked}: {', '.join(sans[:-1])} or {sans[-1]}?"


def wrong_text(refutation: Refutation | None) -> str:
    """Return that the move was wrong and, if an engine has said so, why."""
    return f"No. {'' if refutation is None else f'{refutation.sentence} '}Try again."


def answer_text(entry: SetEntry, *, is_own: bool) -> str:
    """Return the solution, the motif, why the solution works, and what was played in the game.

    `is_own` says whether the solver is whose game it may be.
    """
    puzzle = entry.puzzle
    lines = [f"Solution: {answer(puzzle)}", f"Motif: {seen_words(puzzle.all_tags())}", *reasons_of(puzzle)]
    if in_game := in_game_text(entry, is_own=is_own):
        lines.append(in_game)
    return "\n".join([*lines, f"{puzzle.id}, {puzzle.origin()}"])


def in_game_text(entry: SetEntry, *, is_own: bool) -> str:
    """Return what was played in the game that an opportunity is from, empty for another puzzle.

    If that allowed the solution, also what would have prevented it.
    """
    if entry.opportunity is None or not entry.is_own:
        return ""
    position, game = entry.opportunity.position(), entry.opportunity.game
    played = solution_san(position, [parse_move(position, entry.opportunity.played)])
    player = "you" if is_own else (game.white if entry.opportunity.white else game.black) or "the player"
    text = f"In the game {player} played {played}"
    if entry.puzzle.position().turn == position.turn:
        return text
    better = parse_move(position, entry.opportunity.solution.split()[0])
    return f"{text} and allowed this; better was {solution_san(position, [better])}"


def last_answer_text(puzzle: Puzzle) -> str:
    """Return the board and the solution of the puzzle before, to look at again."""
    position = puzzle.position()
    return f"The puzzle before:\n\n{text_board(position)}\n\nSolution: {answer(puzzle)}"


def result_text(right: int, tried: int) -> str:
    """Return how many puzzles of a session were right."""
    return f"{right} of {counted(tried, 'puzzle')} right at once"
