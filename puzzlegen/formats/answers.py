"""The question of a puzzle, its answer, and why the answer works, in words."""

from __future__ import annotations

from chess_motif.boards import rights, solution_san, to_move
from db.models import Kind, Puzzle
from puzzlegen.reasons.explained import reasons_of
from puzzlegen.verify.ending import Ending


def question(puzzle: Puzzle) -> str:
    """Return whose move it is and, if known, after which move, such as `White to move after 7...Qb4`.

    An exercise asks for the mate if other moves may win, too, and for the move that holds if no move wins.
    """
    asked = to_move(puzzle.position())
    if asks_for_mate(puzzle):
        asked += " and mate"
    elif puzzle.outcome == Ending.HELD:
        asked += " and hold"
    opponents = puzzle.opponents_move()
    if opponents is None:
        return asked
    before, move = opponents
    return f"{asked} after {solution_san(before, [move])}"


def asks_for_mate(puzzle: Puzzle) -> bool:
    """Return whether an exercise asks for a mate, because other moves may win, too."""
    return puzzle.kind == Kind.EXERCISE and puzzle.outcome == Ending.MATE


def unseen(puzzle: Puzzle) -> str:
    """Return what matters to the solution but is not visible in a diagram; empty if there is nothing."""
    return rights(puzzle.position(), puzzle.moves())


def answer(puzzle: Puzzle) -> str:
    """Return the solution in SAN, after all accepted moves if an exercise has several.

    An example: `24. Qe8+ or 24. Re8+; 24. Qe8+ Rxe8 25. Rxe8#`.
    """
    position, moves = puzzle.position(), puzzle.moves()
    accepted = puzzle.accepted_moves()
    line = solution_san(position, moves)
    if len(accepted) < 2:
        return line
    solving = " or ".join(solution_san(position, [move]) for move in accepted)
    return solving if len(moves) == 1 else f"{solving}; {line}"


def why(puzzle: Puzzle) -> str:
    """Return why the solution works; empty if no reason is known."""
    return " ".join(reasons_of(puzzle))
