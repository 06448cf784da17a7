"""Why solutions work, as pages show it: sentences, each with its small arrow, and what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import chess
from markupsafe import Markup

from chess_motif.pages.boards import Arrow, Role, swatch
from puzzlegen.reasons.explained import ExplainedReason
from puzzlegen.reasons.fact import Drawing

# The most arrows on a board.
MOST_ARROWS = 4


@dataclass(frozen=True)
class Sentence:
    """A sentence that says why a solution works, and the role of what is drawn for it, if anything."""

    text: str
    role: Role | None

    @property
    def swatch(self) -> Markup:
        """The small arrow that the sentence begins with, if something is drawn for it."""
        return Markup("") if self.role is None else swatch(self.role)


def sentences(reasons: Sequence[ExplainedReason]) -> list[Sentence]:
    """Return reasons as sentences."""
    return [Sentence(each.sentence, _role(each.drawing)) for each in reasons]


def _role(drawing: Drawing | None) -> Role | None:
    return None if drawing is None else Role(drawing.role.value)


def arrows(first: chess.Move, reasons: Sequence[ExplainedReason]) -> tuple[Arrow, ...]:
    """Return what is drawn for a solution: its first move, and what the reasons are about."""
    drawn = [Arrow(first.from_square, first.to_square)]
    for reason in reasons:
        if reason.drawing is None:
            continue
        role = Role(reason.drawing.role.value)
        drawn += [Arrow(tail, head, role) for tail, head in reason.drawing.arrows]
        drawn += [Arrow(square, square, role) for square in reason.drawing.squares]
    return tuple(dict.fromkeys(drawn))[:MOST_ARROWS]
