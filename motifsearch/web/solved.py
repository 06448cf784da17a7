"""A puzzle of a round that is done: its line and reasons, its origin, puzzles like it, and the grades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import chess

from chess_motif.boards import solution_san
from chess_motif.pages.boards import Look, Size
from db.days import days_between
from db.models import utc_now
from db.store import Store
from motifsearch.puzzles.searcher import PuzzleHit
from motifsearch.show.card import PuzzleCard, Written, written
from motifsearch.show.solving import in_game_text
from motifsearch.trainer.repetition import due_after
from motifsearch.trainer.rounds import OpenRound
from motifsearch.trainer.solving import Grade
from motifsearch.web.shown import Shown, in_days


@dataclass(frozen=True)
class GradeButton:
    """A grade to choose, and when the puzzle comes again after it."""

    grade: Grade
    key: int
    when: str


class Solved(Shown):
    """A puzzle that is solved, or whose solution was shown, as `solved.html` shows it."""

    def __init__(
        self,
        store: Store,
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
        super().__init__(store, opened, flip=flip)
        self.ply, self.unavailable = ply, unavailable
        self.card = PuzzleCard.of(self.puzzle)
        self.alike = [PuzzleCard.of_hit(hit) for hit in alike]
        with store.reading() as session:
            self._dates = due_after(session, opened.solver, self.puzzle.id)

    @property
    def flipped(self) -> str:
        """What the addresses of the other positions of the line need, so that the board stays flipped."""
        return "&flip=1" if self.flip else ""

    def seen(self) -> tuple[chess.Board, Look]:
        """Return the position after some moves of the line; at its start, the arrows are drawn."""
        return self.card.after(min(self.ply, len(self.card.moves)), Size.LARGE, self.seen_by)

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
    def grades(self) -> list[GradeButton]:
        """The grades to choose from."""
        now = utc_now()
        return [
            GradeButton(each, key, in_days(days_between(now, self._dates[each])))
            for key, each in enumerate(Grade, 1)
        ]

    @property
    def analysis(self) -> str:
        """The address of the position on Lichess' analysis board."""
        side = "white" if self.start.turn else "black"
        return f"https://lichess.org/analysis/{self.start.fen().replace(' ', '_')}?color={side}"

    def data(self) -> dict[str, object]:
        """Return what is answered as JSON."""
        return super().data() | {
            "id": self.puzzle.id,
            "solution": self.puzzle.solution.split(),
            "motif": self.motif,
            "reasons": [each.text for each in self.card.sentences],
            "suggested": self.round.grade,
        }
