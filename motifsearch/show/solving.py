"""A puzzle that a student solves in a terminal, as text: question, moves, and answer."""

from __future__ import annotations

from collections.abc import Sequence

import chess

from chess_motif.boards import board_after, side_name, solution_san, text_board, to_move
from chess_motif.notation import parse_move
from chess_motif.text import counted
from db.models import Kind, Puzzle
from db.sets import SetEntry
from engines.engine import Variation
from motifsearch.trainer.rating import Rating
from motifsearch.trainer.refutation import Refutation
from motifsearch.trainer.solving import Solving
from puzzlegen.formats.answers import answer, asks_for_mate
from puzzlegen.motifs.tags import seen_words
from puzzlegen.reasons.explained import reasons_of


def question_text(solving: Solving) -> str:
    """Return the opponent's move, the board, and what to find."""
    opponents = solving.puzzle.opponents_move()
    if opponents is None:
        return board_text(solving)
    before, move = opponents
    return f"{side_name(before.turn)} plays {solution_san(before, [move])}\n\n{board_text(solving)}"


def board_text(solving: Solving) -> str:
    """Return the board seen from the solver's side, who is to move, and castling and en passant rights."""
    puzzle, position = solving.puzzle, solving.puzzle.position()
    is_puzzle = puzzle.kind == Kind.PUZZLE
    asked = "the best move" if is_puzzle else "the mate" if asks_for_mate(puzzle) else "a good move"
    said = "\n".join(filter(None, [f"{to_move(position)}, find {asked}", solving.rights]))
    return f"{text_board(solving.board, position.turn)}\n\n{said}"


def reply_text(solving: Solving) -> str:
    """Return the text after a right move: the opponent's reply, and the board."""
    assert solving.reply is not None
    before = solving.board.copy()
    before.pop()
    reply = solution_san(before, [solving.reply])
    return f"Yes. {side_name(before.turn)} replies {reply}\n\n{board_text(solving)}"


def unclear_text(solving: Solving) -> str:
    """Return the question after an ambiguous move."""
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


def freely_text(board: chess.Board, moves: Sequence[chess.Move], best: Variation | None) -> str:
    """Return what is said of one or two `moves` that were played freely: by somebody, and by an engine.

    `best` is what the engine found; without it there is only one move, unless the game is over.
    """
    before = board_after(board, moves[:-1])
    after = board_after(before, moves[-1:])
    if after.is_checkmate():
        return f"{solution_san(before, moves[-1:])} is mate."
    if after.is_stalemate():
        return f"{solution_san(before, moves[-1:])} is stalemate."
    if best is None:
        return f"No engine answers: move {side_name(after.turn)}, too."
    reply, mover = solution_san(before, moves[-1:]), side_name(before.turn)
    if best.mate_in is not None:
        winner = mover if best.mate_in > 0 else side_name(not before.turn)
        return f"{mover} replies {reply}. {winner} mates in {abs(best.mate_in)}."
    pawns = best.score.score(mate_score=0) / 100
    ahead = mover if pawns >= 0 else side_name(not before.turn)
    return f"{mover} replies {reply}. The engine sees {ahead} {abs(pawns):.1f} pawns ahead."


def wrong_text(refutation: Refutation | None) -> str:
    """Return the text after a wrong move, with the reason if there is a `refutation`."""
    return f"No. {'' if refutation is None else f'{refutation.sentence} '}Try again."


def answer_text(entry: SetEntry, *, is_own: bool) -> str:
    """Return the solution, the motif, why the solution works, and what was played in the game.

    `is_own` says whether the game is the student's own.
    """
    puzzle = entry.puzzle
    lines = [f"Solution: {answer(puzzle)}", f"Motif: {seen_words(puzzle.all_tags())}", *reasons_of(puzzle)]
    if in_game := in_game_text(entry, is_own=is_own):
        lines.append(in_game)
    return "\n".join([*lines, f"{puzzle.id}, {puzzle.origin()}"])


def in_game_text(entry: SetEntry, *, is_own: bool) -> str:
    """Return the move played in the game of an opportunity; empty for other puzzles.

    If the move allowed the solution, the text also has a move that would have prevented it.
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
    """Return the board and the solution of the previous puzzle."""
    position = puzzle.position()
    return f"The puzzle before:\n\n{text_board(position)}\n\nSolution: {answer(puzzle)}"


def result_text(right: int, tried: int, rating: Rating | None) -> str:
    """Return how many puzzles of a session were right, and how strong the student is now."""
    result = f"{right} of {counted(tried, 'puzzle')} right at once"
    if rating is None:
        return result
    low, high = rating.interval
    return f"{result}\nYour rating: {rating.value:.0f} (between {low} and {high})"
