"""One motif as it was recognised in a solution."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from chess import PieceType, Square

from puzzlegen.motifs.replay import Replay


class Motif(NamedTuple):
    """A motif: its name, the ply that shows it, which piece does it, to which pieces, and where.

    Pieces are those of the solver in `by` and of the opponent in `to`, unless the rule says otherwise.
    """

    name: str
    ply: int
    by: PieceType
    to: tuple[PieceType, ...] = ()
    square: Square | None = None


# A rule finds one kind of motif wherever a solution shows it.
Rule = Callable[[Replay], Iterator[Motif]]
