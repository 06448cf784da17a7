"""A motif recognised in a solution, and the rules that find them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from chess import PieceType, Square

from puzzlegen.motifs.replay import Replay


class Motif(NamedTuple):
    """A motif: its name, the ply (from 0) that shows it, the pieces that take part, and the square.

    `by` is a piece of the solver, `to` has pieces of the opponent, unless the rule says otherwise. A motif
    that is not `notable` helps to find similar puzzles, but gives the puzzle no tag.
    """

    name: str
    ply: int
    by: PieceType
    to: tuple[PieceType, ...] = ()
    square: Square | None = None
    notable: bool = True


@dataclass(frozen=True)
class Rule:
    """Yields every instance of one kind of motif in a solution.

    `definitions` says by tag what a solution with the tag shows.
    """

    find: Callable[[Replay], Iterator[Motif]]
    definitions: Mapping[str, str]

    def __call__(self, replay: Replay) -> Iterator[Motif]:
        """Yield the motifs of a solution."""
        return self.find(replay)


def rule(**definitions: str) -> Callable[[Callable[[Replay], Iterator[Motif]]], Rule]:
    """Return a decorator that makes a rule of a function, with the definition of each tag it gives."""
    return lambda find: Rule(find, definitions)
