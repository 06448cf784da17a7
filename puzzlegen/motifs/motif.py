"""A motif recognised in a solution, and the type of the rules that find them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from chess import PieceType, Square

from puzzlegen.motifs.replay import Replay


class Motif(NamedTuple):
    """A motif: its name, the ply (from 0) that shows it, the pieces that take part, and the square.

    `by` is a piece of the solver, `to` has pieces of the opponent, unless the rule says otherwise.
    """

    name: str
    ply: int
    by: PieceType
    to: tuple[PieceType, ...] = ()
    square: Square | None = None


# A rule yields every instance of one kind of motif in a solution.
Rule = Callable[[Replay], Iterator[Motif]]
