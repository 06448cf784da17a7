"""A puzzle of a round that is done: its line and reasons, its origin, puzzles like it, and the grades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import chess
from markupsafe import Markup

from chess_motif.boards import board_after, solution_san, to_move
from chess_motif.pages import link
from chess_motif.pages.boards import Look, label_of
from db.days import days_between
from db.models import utc_now
from db.store import Store
from motifsearch.puzzles.searcher import PuzzleHit
from motifsearch.trainer.rounds import OpenRound
from motifsearch.trainer.solving import Grade, due_after
from motifsearch.views.reasons import Sentence, arrows, sentences
from motifsearch.views.solving import in_game_text
from motifsearch.web.parts import (
    Level,
    Ply,
    level_of,
    origin_of,
    plies,
    reasons_of,
    small_board,
)
from motifsearch.web.shown import Shown, in_days
from puzzlegen.reasons.explained import ExplainedReason


@dataclass(frozen=True)
class GradeButton:
    """A grade to choose, and when the puzzle comes again after it."""

    grade: Grade
    key: int
    when: str


@dataclass(frozen=True)
class AlikePuzzle:
    """A puzzle like the one that was solved."""

    id: str
    board: Markup
    percent: int
    level: str


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
        self.alike = [_alike(hit) for hit in alike]
        with store.reading() as session:
            self._dates = due_after(session, opened.solver, self.puzzle.id)

    @property
    def flipped(self) -> str:
        """What the addresses of the other positions of the line need, so that the board stays flipped."""
        return "&flip=1" if self.flip else ""

    def seen(self) -> tuple[chess.Board, Look]:
        """Return the position after some moves of the line; at its start, the arrows are drawn."""
        line = self.puzzle.moves()
        ply = min(self.ply, len(line))
        board = board_after(self.start, line[:ply])
        if ply:
            label = f"After {solution_san(board_after(self.start, line[: ply - 1]), line[ply - 1 : ply])}"
            return board, self.look(label, line[ply - 1])
        drawn = arrows(line[0], self.reasons)
        return board, self.look(f"The solution as arrows: {label_of(drawn, board)}", self.blunder(), drawn)

    @property
    def reasons(self) -> tuple[ExplainedReason, ...]:
        """Why the solution works."""
        return reasons_of(self.puzzle)

    @property
    def sentences(self) -> list[Sentence]:
        """The same as sentences."""
        return sentences(self.reasons)

    @property
    def plies(self) -> list[Ply]:
        """The moves of the solution."""
        return plies(self.puzzle)

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
    def level(self) -> Level | None:
        """How hard it is."""
        return level_of(self.puzzle)

    @property
    def game(self) -> str:
        """The game that it is from."""
        return origin_of(self.puzzle)

    @property
    def game_link(self) -> str | None:
        """The address of that game, None if it has none."""
        return link(self.puzzle.game_url)

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
            "reasons": [each.sentence for each in self.reasons],
            "suggested": self.round.grade,
        }


def _alike(hit: PuzzleHit) -> AlikePuzzle:
    puzzle, percent = hit.puzzle, round(100 * hit.normalised_score)
    label = f"{to_move(puzzle.position())}, {percent} % alike"
    return AlikePuzzle(puzzle.id, small_board(puzzle, label), percent, puzzle.level_text())
