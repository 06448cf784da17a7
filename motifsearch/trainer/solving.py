"""Solving a puzzle or an exercise, move by move. Knows nothing of how it is shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import chess

from chess_motif.boards import mates, rights
from chess_motif.errors import PositionError, StoreError
from chess_motif.notation import is_square, meant_moves, parse_move, parse_moves
from db.models import Kind, Puzzle


class Feedback(StrEnum):
    """What a move of the solver is, if it is clear which one was meant."""

    UNCLEAR = "unclear"
    WRONG = "wrong"
    RIGHT = "right"
    SOLVED = "solved"


class Grade(StrEnum):
    """How well a puzzle was solved; the better, the later it is due again. The names are those of FSRS."""

    AGAIN = "again"
    """Not solved, or with a mistake, or after being told a whole move."""
    HARD = "hard"
    """Solved with a hint at the piece to move."""
    GOOD = "good"
    """Solved at once."""
    EASY = "easy"
    """Solved at once, and it was too easy; only the solver knows."""


@dataclass
class SolvingState:
    """How far the solving of a puzzle is, so that it goes on later or elsewhere.

    `played` are the moves of both sides from the position of the puzzle on (UCI), `wrong` the last move if it
    was wrong; the others are as in `Solving`.
    """

    played: list[str] = field(default_factory=list)
    wrong: str | None = None
    solved: bool = False
    mistakes: int = 0
    hints: int = 0
    hints_here: int = 0
    told: bool = False


class Solving:
    """A puzzle that somebody is solving.

    `board` is the position with the solver to move, or after the last move once it is `solved`. `reply` is
    what the opponent has answered to the last right move, and `wrong` the last move if it was wrong; None if
    there is none. `unclear` are the moves that the last text may mean, if there are several. `mistakes` and
    `hints` count what was wrong and what was asked for; `told` says whether a hint was a whole move, or the
    solution was shown.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        """Set up the puzzle. Raises `StoreError` if it is damaged."""
        self.puzzle = puzzle
        self.board = puzzle.position()
        self.solved = False
        self.mistakes = 0
        self.hints = 0
        self.told = False
        self.reply: chess.Move | None = None
        self.wrong: chess.Move | None = None
        self.unclear: tuple[chess.Move, ...] = ()
        self._moves = puzzle.moves()
        self._done = 0
        self._hints_here = 0

    @classmethod
    def restored(cls, puzzle: Puzzle, state: SolvingState) -> Solving:
        """Return the solving of a puzzle as far as it was. Raises `StoreError` if either is damaged."""
        solving = cls(puzzle)
        try:
            moves = parse_moves(solving.board, " ".join(state.played)) if state.played else []
            for move in moves:
                solving.board.push(move)
            solving.wrong = parse_move(solving.board, state.wrong) if state.wrong else None
        except PositionError as error:
            raise StoreError(f"the round with the puzzle {puzzle.id} is damaged: {error}") from error
        solving.solved, solving.told = state.solved, state.told
        solving.mistakes, solving.hints, solving._hints_here = state.mistakes, state.hints, state.hints_here
        solving._done = len(moves) - len(moves) % 2
        solving.reply = moves[-1] if moves and not len(moves) % 2 else None
        return solving

    @property
    def state(self) -> SolvingState:
        """How far it is, from which `restored` goes on."""
        return SolvingState(
            played=[move.uci() for move in self.board.move_stack],
            wrong=self.wrong.uci() if self.wrong else None,
            solved=self.solved,
            mistakes=self.mistakes,
            hints=self.hints,
            hints_here=self._hints_here,
            told=self.told,
        )

    @property
    def rights(self) -> str:
        """What the board does not show and matters to what is left of the solution, see `rights`."""
        return rights(self.board, self._moves[len(self.board.move_stack) :])

    @property
    def grade(self) -> Grade:
        """How well it was solved so far: `AGAIN` if it is not solved."""
        if not self.solved or self.mistakes or self.told:
            return Grade.AGAIN
        return Grade.HARD if self.hints else Grade.GOOD

    @property
    def is_at_start(self) -> bool:
        """Whether no right move has been played."""
        return not self._done

    @property
    def has_failed(self) -> bool:
        """Whether the grade is `AGAIN`, whatever comes."""
        return self.mistakes > 0 or self.told

    def play(self, text: str) -> Feedback:
        """Play a move, and the opponent's reply if there is one.

        `text` is read as by `meant_moves`. If it may mean several moves, or is a square that a piece can go
        to, the move is to be made clear: the name, the letter or the square of the piece may come next. Any
        mate solves the puzzle, and any accepted move of an exercise. After a wrong move the position stays as
        it is. Raises `PositionError` for what is no legal move; that is no mistake.
        """
        move = self._answered(text)
        if move is None:
            moves = meant_moves(self.board, text)
            is_bare = is_square(text) and self.board.piece_type_at(moves[0].from_square) != chess.PAWN
            if len(moves) > 1 or is_bare:
                self.unclear = tuple(moves)
                return Feedback.UNCLEAR
            (move,) = moves
        self.wrong, self.unclear = None, ()
        is_mate = mates(self.board, move)
        if not is_mate and move not in self._accepted:
            self.mistakes += 1
            self.wrong = move
            return Feedback.WRONG
        self.board.push(move)
        self._hints_here = 0
        self.reply = None
        is_last = self._done + 1 == len(self._moves)
        self.solved = is_mate or self.puzzle.kind == Kind.EXERCISE or is_last
        if self.solved:
            return Feedback.SOLVED
        self.reply = self._moves[self._done + 1]
        self.board.push(self.reply)
        self._done += 2
        return Feedback.RIGHT

    def excuse(self) -> None:
        """Take the last move, which was wrong, for no mistake: it wins as well."""
        self.mistakes -= 1

    def back(self) -> bool:
        """Take back the last right move and its reply, to see them again; return False if there is none."""
        if not self._done or self.solved:
            return False
        self.board.pop()
        self.board.pop()
        self._done -= 2
        self._hints_here = 0
        return True

    def hint(self) -> str:
        """Return the piece to move, as `the knight on e5`; when asked again, also where it goes."""
        self.hints += 1
        self._hints_here += 1
        self.told = self.told or self._hints_here > 1
        piece = self.piece_to_move()
        return piece if self._hints_here == 1 else f"{piece} goes to {chess.square_name(self.best.to_square)}"

    @property
    def best(self) -> chess.Move:
        """The move that is looked for; of an exercise, the best one."""
        return self._accepted[0]

    def piece_to_move(self) -> str:
        """Return the piece that makes this move, as `the knight on e5`."""
        kind = self.board.piece_type_at(self.best.from_square)
        assert kind is not None
        return f"the {chess.piece_name(kind)} on {chess.square_name(self.best.from_square)}"

    def give_up(self) -> None:
        """Record that the solution was shown."""
        self.told = True

    @property
    def _accepted(self) -> list[chess.Move]:
        return self.puzzle.accepted_moves() or [self._moves[self._done]]

    def _answered(self, text: str) -> chess.Move | None:
        """Return the move that is meant by an answer to the question which of the unclear ones it is."""
        if len(self.unclear) == 1 and text.strip().lower() in ("y", "yes"):
            return self.unclear[0]
        named = [move for move in self.unclear if self._names(move, text)]
        return named[0] if len(named) == 1 else None

    def _names(self, move: chess.Move, text: str) -> bool:
        """Return whether `text` names the piece that moves or that a pawn becomes, or its square."""
        kind = move.promotion or self.board.piece_type_at(move.from_square) or chess.PAWN
        names = (chess.piece_name(kind), chess.piece_symbol(kind), chess.square_name(move.from_square))
        return text.strip().lower().removeprefix("the ") in names
