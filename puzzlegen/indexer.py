"""The package that indexes puzzles as they are stored, such as `motifsearch`.

It is found by the entry point `puzzlegen.indexer`, so that this package works without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from chess_motif.progress import Progress
from db.store import Store

if TYPE_CHECKING:
    from puzzlegen.reasons.tactics import Tactics

R = TypeVar("R")


class Observer(Protocol):
    """Receives the puzzles of an import after they have been stored."""

    @property
    def make(self) -> Callable[[Tactics], Any]:
        """A function of a puzzle's tactics, which is called by the process that has parsed the puzzle."""

    def stored(self, made: Mapping[str, Any]) -> None:
        """Take what was made of puzzles that are stored now, by the ids of the puzzles."""


def indexed(store: Store, work: Callable[[Observer | None], R], progress: Progress) -> R:
    """Return the result of `work`, which stores puzzles and tells an observer, if there is one.

    Puzzles that are stored without an observer are indexed, too, unless the store was never searched.
    """
    for indexer in entry_points(group="puzzlegen.indexer"):
        found: R = indexer.load()(store, work, progress)
        return found
    return work(None)
