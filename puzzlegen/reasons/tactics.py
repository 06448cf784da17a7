"""The tactics of a line: its motifs and its reasons, found once for tags, terms and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import chess

from chess_motif.material import Capture
from chess_motif.notation import reversed_move
from db.models import Puzzle
from puzzlegen.motifs.replay import Motif, Replay
from puzzlegen.motifs.table import TAGS
from puzzlegen.motifs.tags import motifs_of, tags_of
from puzzlegen.motifs.worth import total_gain
from puzzlegen.reasons.goal import Aim
from puzzlegen.reasons.reason import Reasons
from puzzlegen.verify.ending import Ending
from puzzlegen.verify.solution import ending_shown


class Tactics:
    """A line from a position, for the side to move, which also moves last; the moves must be legal.

    `before` is the capture by the opponent's last move, None if there was none or it is not known. The
    replay, the motifs and the reasons are computed when they are first needed.
    """

    def __init__(
        self, position: chess.Board, moves: Sequence[chess.Move], before: Capture | None = None
    ) -> None:
        self.position, self.moves, self.before = position, moves, before

    @classmethod
    def of(cls, puzzle: Puzzle) -> Tactics:
        """Return the tactics of a stored puzzle. Raises `StoreError` if it is damaged."""
        return cls(puzzle.position(), puzzle.moves(), puzzle.capture_before())

    def with_white_to_move(self) -> Tactics:
        """Return the tactics with colours reversed if Black is to move, else these themselves.

        Their tags are the same.
        """
        if self.position.turn == chess.WHITE:
            return self
        before = self.before and self.before._replace(square=chess.square_mirror(self.before.square))
        return Tactics(self.position.mirror(), [*map(reversed_move, self.moves)], before)

    @cached_property
    def replay(self) -> Replay:
        """The line, replayed."""
        return Replay(self.position, self.moves, self.before)

    @cached_property
    def motifs(self) -> list[Motif]:
        """The motifs of the line, in the order of the rules."""
        return motifs_of(self.replay)

    def tags(self, *, is_forced: bool = True, holds: bool = False) -> list[str]:
        """Return the tags of the line, see `puzzlegen.motifs.tags.tags_of`."""
        return tags_of(self.replay, self.motifs, is_forced=is_forced, holds=holds)

    def ending(self) -> Ending | None:
        """Return how the line wins, see `puzzlegen.verify.solution.ending_shown`."""
        return ending_shown(self.replay.start.board, self.replay.end.board)

    @cached_property
    def reasons(self) -> Reasons:
        """The reasons why the goals of the line are reached."""
        return Reasons(self.replay)

    @cached_property
    def shows_tactic(self) -> bool:
        """Whether the line shows a tactic, sound or not.

        True if the line mates, stalemates or threatens mate, if the solver wins material or promotes, or if a
        motif says why the line wins.
        """
        if self.replay.end.stuck or total_gain(self.replay) > 0:
            return True
        goals = self.reasons.goals
        if any(goal.aim is Aim.PROMOTE or (goal.threatened and goal.aim is Aim.MATE) for goal in goals):
            return True
        return any(motif.notable and TAGS[motif.name].says == "why" for motif in self.motifs)
