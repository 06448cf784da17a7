"""Deleting puzzles. Search indexes notice by themselves that they are gone."""

from __future__ import annotations

from collections.abc import Sequence

from db.puzzles import delete_puzzles
from db.selection import resolve_ids
from db.store import Store


def delete(store: Store, names: Sequence[str]) -> list[str]:
    """Delete the puzzles with these ids, ours or their source's; return our ids.

    Raises `StoreError`, and `UnknownPuzzleError`, without deleting anything, if one is not known.
    """
    with store.session() as session:
        ids = resolve_ids(session, names)
        delete_puzzles(session, ids)
    return ids
