"""Training as text: training sets, and a puzzle to solve in a terminal.

Results of `motifsearch.trainer` go in, text for a terminal comes out. An opportunity is a chance here, as
players call it.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

from chess_motif.boards import solution_san, text_board, to_move
from chess_motif.tables import Column, fitted_table, table
from chess_motif.text import counted
from db.models import Kind, Puzzle
from db.training import SetEntry
from motifsearch.trainer.level import is_hard
from puzzlegen.formats.answers import answer, asks_for_mate
from puzzlegen.motifs.tags import seen_words
from puzzlegen.reasons.explained import reasons_of

# The commands `sets` and `solve` print without what `train` loads.
if TYPE_CHECKING:
    from motifsearch.trainer.sets import SetStatus
    from motifsearch.trainer.solving import Solving


# Instead of the motif of a puzzle that was not tried yet: to know it is half of the solution.
HIDDEN = "?"


def sets_text(sets: Sequence[SetStatus]) -> str:
    """Return a table of training sets (at least one), with what is due."""
    rows = [each.as_dict() for each in sets]
    cells = [[value if value is not None else "" for value in row.values()] for row in rows]
    return table(list(rows[0]), cells, right="llrrrl")


def set_text(
    entries: Sequence[SetEntry], width: int, level: float | None = None, tried: Container[str] | None = None
) -> str:
    """Return a table of the puzzles of a set, for a terminal of `width` columns.

    `level` is that of the solver. Motifs are shown of those puzzles only that were `tried` (default: all).
    """
    puzzles = [entry.puzzle for entry in entries]
    columns = [
        Column("", [str(place) for place in range(1, len(entries) + 1)], right=True),
        Column("id", [puzzle.id for puzzle in puzzles]),
        Column("what", [_what(entry, level) for entry in entries]),
        Column("level", [puzzle.level_text() for puzzle in puzzles], right=True),
        Column("motif", [_motif(one, tried) for one in puzzles], order=1),
        Column("from", [puzzle.origin() for puzzle in puzzles], order=2),
    ]
    text, left_out = fitted_table(columns, width)
    own = sum(entry.is_own for entry in entries)
    lines = [text, ""]
    if left_out:
        lines.append(f"No room for: {', '.join(left_out)}")
    if tried is not None and any(puzzle.id not in tried for puzzle in puzzles):
        lines.append(f"{HIDDEN}: not tried yet; --motifs tells its motif")
    lines.append(f"{counted(own, 'missed chance')}, and {counted(len(entries) - own, 'puzzle')} like them")
    return "\n".join(lines)


def _motif(puzzle: Puzzle, tried: Container[str] | None) -> str:
    return seen_words(puzzle.all_tags()) if tried is None or puzzle.id in tried else HIDDEN


def _what(entry: SetEntry, level: float | None) -> str:
    """Return what a puzzle is in its set for, and whether it is far above the level of the solver."""
    what = "missed" if entry.is_own else "like it"
    return f"{what}, hard" if is_hard(entry.puzzle, level) else what


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
