"""Who was shown which puzzles: searches with the filter `PuzzleFilter.new_to` leave them out."""

from __future__ import annotations

from collections.abc import Iterable

from chess_motif.errors import InputError
from chess_motif.text import did_you_mean
from db.showings import all_shown, delete_shown, mark_shown
from db.store import Store
from motifsearch.puzzles.searcher import PuzzleHit


def record_shown(store: Store, name: str, hits: Iterable[PuzzleHit]) -> None:
    """Record that `name`, a person or a group, has seen these results."""
    with store.session() as session:
        mark_shown(session, name, [hit.puzzle.id for hit in hits])


def forget_shown(store: Store, name: str) -> int:
    """Forget what was shown to `name`; return how many puzzles. Raises `InputError` if there were none."""
    with store.session() as session:
        known = [shown.name for shown in all_shown(session)]
        if name not in known:
            raise InputError(f"{name!r} was shown no puzzles{did_you_mean(name, known)}")
        return delete_shown(session, name)
