"""Solving one puzzle or exercise move by move. Knows nothing of how it is shown, or when it is due again."""

from __future__ import annotations

from enum import StrEnum

import chess

from chess_motif.boards import mates
from chess_motif.errors import PositionError
from chess_motif.notation import parse_line
from db.models import Kind, Puzzle


class Feedback(StrEnum):
    """What a move of the solver is."""

    WRONG = "wrong"
    RIGHT = "right"
    SOLVED = "solved"


class Solving:
    """A puzzle that somebody is solving.

    `board` is the position with the solver to move, or after the last move once it is `solved`; `reply` is
    the opponent's last move. `mistakes` and `hints` count what was wrong and what was asked for.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        """Set up the puzzle. Raises `StoreError` if it is damaged."""
        self.puzzle = puzzle
        self.board = puzzle.position()
        before = puzzle.opponents_move()
        self.reply = None if before is None else before[1]
        self.solved = False
        self.mistakes = 0
        self.hints = 0
        self._left = puzzle.moves()
        self._accepted = puzzle.accepted_moves() or self._left[:1]

    @property
    def right(self) -> bool:
        """Whether it was solved without a mistake."""
        return self.solved and not self.mistakes

    def play(self, text: str) -> Feedback:
        """Play a move in SAN or UCI, and the opponent's reply if there is one.

        Any mate solves it, and any accepted move of an exercise. After a wrong move the position stays as it
        is. Raises `PositionError` for what is no legal move; it does not count as a mistake.
        """
        moves = parse_line(self.board, text)
        if len(moves) > 1:
            raise PositionError("one move at a time")
        (move,) = moves
        is_mate = mates(self.board, move)
        if not is_mate and move not in self._accepted:
            self.mistakes += 1
            return Feedback.WRONG
        self.board.push(move)
        self.solved = is_mate or self.puzzle.kind == Kind.EXERCISE or len(self._left) == 1
        if self.solved:
            return Feedback.SOLVED
        self.reply = self._left[1]
        self.board.push(self.reply)
        self._left = self._left[2:]
        self._accepted = self._left[:1]
        return Feedback.RIGHT

    def hint(self) -> str:
        """Return the piece to move, as `the knight on e5`; when asked again, also where it goes."""
        self.hints += 1
        move = self._accepted[0]
        kind = self.board.piece_type_at(move.from_square)
        assert kind is not None
        piece = f"the {chess.piece_name(kind)} on {chess.square_name(move.from_square)}"
        return piece if self.hints == 1 else f"{piece} goes to {chess.square_name(move.to_square)}"
