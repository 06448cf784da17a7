"""A puzzle of a round that is done: its line and reasons, its origin, puzzles like it, and the grades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import chess
from sqlalchemy.orm import Session

from chess_motif.boards import solution_san
from chess_motif.pages.boards import Look, Size
from db.days import day_of, days_between
from db.models import utc_now
from motifsearch.puzzles.searcher import PuzzleHit
from motifsearch.show.card import PuzzleCard, Written, written
from motifsearch.show.solving import in_game_text
from motifsearch.trainer.repetition import due_after
from motifsearch.trainer.rounds import OpenRound
from motifsearch.trainer.solving import Grade
from motifsearch.web.shown import Shown, in_days


@dataclass(frozen=True)
class GradeChoice:
    """A grade to choose, and when the puzzle comes again after it: in how long, and on which day."""

    grade: Grade
    key: int
    when: str
    day: str


class Solved(Shown):
    """A puzzle that is solved, or whose solution was shown, as `solved.html` shows it."""

    def __init__(
        self,
        session: Session,
        opened: OpenRound,
        alike: Sequence[PuzzleHit],
        unavailable: str,
        *,
        ply: int,
        flip: bool,
    ) -> None:
        """`alike` are puzzles like it, or else it is said why they are `unavailable`.

        `ply` is how far its line is stepped through.
        """
        super().__init__(session, opened, flip=flip)
        self.unavailable = unavailable
        self.card = PuzzleCard.of(self.puzzle)
        self.last = len(self.card.moves)
        self.ply = min(ply, self.last)
        self.alike = [PuzzleCard.of_hit(hit) for hit in alike]
        self._dates = due_after(opened.state.card)

    def seen(self) -> tuple[chess.Board, Look]:
        """Return the position after some moves of the line; at its start, the arrows are drawn."""
        return self.card.after(self.ply, Size.LARGE, self.seen_by)

    @property
    def position(self) -> str:
        """What stands on the board, as FEN: from there on, pieces are moved freely."""
        return self.seen()[0].fen()

    @property
    def legal(self) -> str:
        """The legal moves there."""
        return " ".join(move.uci() for move in self.seen()[0].legal_moves)

    @property
    def reached(self) -> int:
        """How many half-moves of the line the student has seen, 0 if she solved it in another way."""
        played = self.solving.board.move_stack
        return len(played) if list(self.card.moves[: len(played)]) == played else 0

    @property
    def played(self) -> str:
        """The positions from the last move of the student to the end of the line, for the page's script.

        Each with the move before it. What solved the puzzle in another way is the only one.
        """
        board = self.solving.board.copy()
        before, moves = board.move_stack, self.card.moves
        rest = moves[len(before) :] if list(moves[: len(before)]) == before else ()
        last = before[-1] if before else self.card.blunder
        found = [f"{board.board_fen()} {last or ''}"]
        for move in rest:
            board.push(move)
            found.append(f"{board.board_fen()} {move}")
        return ",".join(found)

    @property
    def plies(self) -> list[Written]:
        """The moves of the solution."""
        return written(self.start, self.card.moves)

    @property
    def also(self) -> str:
        """The other moves that solve an exercise."""
        accepted = self.puzzle.accepted_moves()
        return ", ".join(solution_san(self.start, [move]) for move in accepted[1:])

    @property
    def done_word(self) -> str:
        """What became of it."""
        return "Solved" if self.solving.solved else "The solution"

    @property
    def in_game(self) -> str:
        """What the solver played there, if it is from a game of hers."""
        return in_game_text(self.entry, is_own=True)

    @property
    def grades(self) -> list[GradeChoice]:
        """The grades to choose from."""
        now = utc_now()
        found: list[GradeChoice] = []
        for key, (each, due) in enumerate(self._dates.items(), 1):
            day = day_of(due)
            found.append(
                GradeChoice(each, key, in_days(days_between(now, due)), f"{day:%A}, {day.day} {day:%B}")
            )
        return found

    def data(self) -> dict[str, object]:
        """Return what is answered as JSON."""
        return super().data() | {
            "id": self.puzzle.id,
            "solution": self.puzzle.solution.split(),
            "motif": self.motif,
            "reasons": [each.text for each in self.card.sentences],
            "suggested": self.round.grade,
        }
