"""Cycles: all puzzles of a set in a row, and again, each time faster (the Woodpecker method).

A cycle is a round to which nothing is added, so that each one of a set can be compared with the one before.
It takes as many days as it takes: only the time with a puzzle on the board counts.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.attempts import Round
from db.sets import set_entries
from db.store import Store
from motifsearch.trainer.round_state import Result, RoundKind, RoundState
from motifsearch.trainer.rounds import begin


@dataclass(frozen=True)
class Cycle:
    """How a cycle went, or goes: of its `puzzles`, so many are `done`, and `right` at once.

    `round` is the number of the round that it is.
    """

    round: int
    puzzles: int
    done: int
    right: int
    time: timedelta

    @property
    def is_finished(self) -> bool:
        """Whether all puzzles are done."""
        return self.done == self.puzzles

    @property
    def percent(self) -> int:
        """How many of the puzzles that are done were right at once, in percent."""
        return round(100 * self.right / self.done) if self.done else 0


def cycles_of(session: Session, solver: str) -> dict[str, list[Cycle]]:
    """Return the cycles of somebody by the name of their set, the first one first."""
    found = defaultdict(list)
    rounds = select(Round).where(Round.solver == solver, Round.kind == RoundKind.CYCLE.value)
    for stored in session.scalars(rounds.order_by(Round.number)):
        found[stored.set_name].append(_cycle(stored))
    return dict(found)


def _cycle(stored: Round) -> Cycle:
    items = RoundState.model_validate(stored.state).items
    results = [item.result for item in items if item.result is not None]
    time = timedelta(seconds=sum(item.seconds for item in items))
    return Cycle(stored.number, len(items), len(results), results.count(Result.RIGHT), time)


def begin_cycle(store: Store, solver: str, set_name: str) -> int:
    """Begin the next cycle of a set, or go on with one that was begun; return the number of its round.

    Raises `InputError` if there is no such set, or nothing in it.
    """
    with store.reading() as session:
        last = cycles_of(session, solver).get(set_name, [])[-1:]
        if last and not last[0].is_finished:
            return last[0].round
        entries = set_entries(session, set_name)
    return begin(store, solver, set_name, entries, set_name, RoundKind.CYCLE)
