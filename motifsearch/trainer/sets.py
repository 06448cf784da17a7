"""Training sets, and what is due in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from db.store import Store
from db.training.sets import SetEntry, SetSummary, all_sets, delete_set, get_set, set_entries, sets_for
from motifsearch.trainer.schedule import Due, due


@dataclass(frozen=True)
class SetStatus:
    """A training set, and what is due in it."""

    summary: SetSummary
    due: Due

    def as_dict(self) -> dict[str, Any]:
        """Return the status as the keys and values of its JSON object."""
        later = self.due.later
        return {
            "set": self.summary.name,
            "solver": self.summary.solver,
            "puzzles": self.summary.puzzles,
            "due": len(self.due.again),
            "new": len(self.due.new),
            "next": None if later is None else f"{later:%Y-%m-%d}",
        }


def set_statuses(store: Store, name: str | None = None) -> list[SetStatus]:
    """Return the training set of this name, or else those for this solver; without a name, all.

    Raises `InputError` if there is none of this name.
    """
    with store.reading() as session:
        sets = all_sets(session) if name is None else sets_for(session, name)
        entries = [set_entries(session, each.number) for each in sets]
        return [
            SetStatus(each, due(session, each.solver, [entry.puzzle for entry in of_set]))
            for each, of_set in zip(sets, entries, strict=True)
        ]


def entries_of(store: Store, name: str) -> list[SetEntry]:
    """Return the puzzles of the training set `name` in order. Raises `InputError` if there is none."""
    with store.reading() as session:
        return set_entries(session, get_set(session, name).number)


def remove_set(store: Store, name: str) -> None:
    """Delete the training set `name`; its puzzles, and what was solved, stay. Raises `InputError`."""
    with store.session() as session:
        delete_set(session, get_set(session, name).number)
