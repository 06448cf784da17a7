"""What to search for: a position, or that of a stored puzzle."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from chess_motif.notation import parse_placement
from db.models import Puzzle
from db.puzzles import get_puzzle
from db.store import Store


@dataclass(frozen=True)
class PositionQuery:
    """A position, and the stored puzzle that it comes from, if any.

    `move` is the number of the move to be played, if it is known.
    """

    board: chess.Board
    puzzle: Puzzle | None = None
    move: int | None = None

    @property
    def own_game(self) -> int | None:
        """The number of the puzzle's game, if it is known."""
        return self.puzzle.game_number if self.puzzle else None


def resolve_position(store: Store, text: str) -> PositionQuery:
    """Return the query that `text` stands for.

    Text with a slash is a FEN, of which only the pieces matter. Any other text is the id of a stored puzzle,
    ours or its source's. Raises `PositionError`, `UnknownPuzzleError`, `StoreError`.
    """
    if "/" in text:
        return PositionQuery(parse_placement(text), move=_move_number(text))
    with store.reading() as session:
        puzzle = get_puzzle(session, text)
    return PositionQuery(puzzle.position(), puzzle, _move_number(puzzle.puzzle_fen))


def _move_number(fen: str) -> int | None:
    """Return the number of the move in a FEN; None if it is missing, or 1, as in FENs that people set up."""
    counter = fen.split()[5:6]
    # Longer numbers are no move numbers, and Python reads only 4,300 digits.
    number = int(counter[0]) if counter and len(counter[0]) <= 4 and counter[0].isdecimal() else 1
    return number if number > 1 else None
