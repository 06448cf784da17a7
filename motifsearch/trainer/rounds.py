"""A round: puzzles that somebody solves one after the other, stored after each step.

Puzzles that are due, or of a set or a motif, go in. The round knows which puzzle comes next, how far it is
solved, and what became of those before; it goes on where it was, whoever asks. Knows nothing of how it is
shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from pydantic import BaseModel, Field, ValidationError
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from chess_motif.errors import InputError, StoreError
from db.analyses import OpportunityKind
from db.attempts import Attempt, Round, due_dates
from db.models import Puzzle, in_utc, utc_now
from db.sets import SetEntry, find_entry
from db.store import Store
from motifsearch.trainer.repetition import add_attempt
from motifsearch.trainer.solving import Grade, Solving, SolvingState

# How many puzzles come before one that was failed is asked for again.
AGAIN_AFTER = 4

# The longest that somebody is taken to think about a puzzle.
LONGEST = timedelta(minutes=10)


class Badge(StrEnum):
    """Why a puzzle is in a round."""

    REVIEW = "review"
    NEW = "new"
    MISSED = "missed"
    """The solver missed it in a game."""
    ALLOWED = "allowed"
    """The solver allowed it in a game."""
    AGAIN = "again"
    """It was failed in this round."""
    ALIKE = "alike"
    """It is like the one before, which was failed."""


class Result(StrEnum):
    """What became of a puzzle of a round."""

    RIGHT = "right"
    HELPED = "helped"
    WRONG = "wrong"
    SKIPPED = "skipped"


_RESULTS = {Grade.AGAIN: Result.WRONG, Grade.HARD: Result.HELPED}


class Item(BaseModel):
    """A puzzle of a round: why it is in it, what became of it, and how many `seconds` that took."""

    puzzle_id: str
    badge: Badge = Badge.NEW
    result: Result | None = None
    seconds: float = 0.0


class Refuted(BaseModel):
    """What is said of a wrong move, as in `Refutation`; the line is in UCI."""

    sentence: str = ""
    outcome: str = "is not it"
    line: list[str] = []
    also_wins: bool = False


class RoundState(BaseModel):
    """The puzzles of a round, the place (from 0) of the one that is asked for, and how far that is.

    `shows_motif` says whether the first hint, the motif, was asked for; `shown` whether the solution was.
    `is_cycle` says whether the round is one of the cycles of a set, see `cycles`: nothing is added to it.
    """

    items: list[Item]
    is_cycle: bool = False
    place: int = 0
    begun: datetime
    solving: SolvingState = Field(default_factory=SolvingState)
    shows_motif: bool = False
    refuted: Refuted | None = None
    shown: bool = False

    def next(self, at: datetime) -> None:
        """Go on to the next puzzle."""
        self.place += 1
        self.begun, self.solving = at, SolvingState()
        self.shows_motif, self.refuted, self.shown = False, None, False

    def seconds(self, at: datetime) -> float:
        """Return how long somebody has thought about the puzzle that is asked for."""
        return max(0.0, min(at - self.begun, LONGEST).total_seconds())


@dataclass
class OpenRound:
    """A round at the puzzle that is asked for; `solving` is None when all are done.

    Change it by its methods, and store it by `save`.
    """

    number: int
    version: int
    solver: str
    title: str
    set_name: str
    state: RoundState
    entry: SetEntry | None
    solving: Solving | None

    @property
    def item(self) -> Item | None:
        """The puzzle that is asked for, None when all are done."""
        return self.state.items[self.state.place] if self.state.place < len(self.state.items) else None

    @property
    def is_done(self) -> bool:
        """Whether the puzzle is solved or its solution shown, and waits for its grade."""
        return self.solving is not None and (self.solving.solved or self.state.shown)

    @property
    def grade(self) -> Grade:
        """The grade that the solving suggests."""
        assert self.solving is not None
        if self.solving.grade is Grade.GOOD and self.state.shows_motif:
            return Grade.HARD
        return self.solving.grade

    def hint(self) -> None:
        """Tell more: the motif, then the piece to move, then the move."""
        assert self.solving is not None
        self.state.refuted = None
        if not self.state.shows_motif:
            self.state.shows_motif = True
        else:
            self.solving.hint()

    def show(self) -> None:
        """Show the solution."""
        assert self.solving is not None
        self.solving.give_up()
        self.state.shown, self.state.refuted = True, None

    def refuted(self, refuted: Refuted) -> None:
        """Record what is said of the wrong move that was just played."""
        assert self.solving is not None
        if refuted.also_wins:
            self.solving.excuse()
        self.state.refuted = refuted

    def try_again(self) -> None:
        """Go back to the position before the wrong move."""
        assert self.solving is not None
        self.solving.wrong = None
        self.state.refuted = None

    def insert(self, puzzle_id: str) -> None:
        """Ask for a puzzle next: one like that which was failed."""
        self.state.items.insert(self.state.place, Item(puzzle_id=puzzle_id, badge=Badge.ALIKE))

    @property
    def wants_alike(self) -> bool:
        """Whether one like the puzzle may come next: not if it came itself because of another one."""
        item = self.item
        is_added = item is not None and item.badge in (Badge.AGAIN, Badge.ALIKE)
        return item is not None and not is_added and not self.state.is_cycle


def open_round(store: Store, number: int) -> OpenRound:
    """Return a round. Raises `InputError` if there is none of this number, and `StoreError`."""
    with store.reading() as session:
        stored = session.get(Round, number)
        if stored is None:
            raise InputError(f"there is no round {number}")
        try:
            state = RoundState.model_validate(stored.state)
        except ValidationError as error:
            raise StoreError(f"the round {number} is damaged in the database") from error
        item = state.items[state.place] if state.place < len(state.items) else None
        entry = solving = None
        if item is not None:
            entry = find_entry(session, stored.solver, item.puzzle_id)
            if entry is None:
                raise InputError(f"the puzzle {item.puzzle_id} of this round was deleted")
            solving = Solving.restored(entry.puzzle, state.solving)
        return OpenRound(
            number, stored.version, stored.solver, stored.title, stored.set_name, state, entry, solving
        )


def save(store: Store, opened: OpenRound) -> bool:
    """Store a round that was changed; return False, storing nothing, if it was changed elsewhere since."""
    with store.session() as session:
        return _save(session, opened)


def grade(store: Store, opened: OpenRound, given: Grade, alike: str | None = None) -> bool:
    """Store how well the puzzle was solved, and go on to the next one; return as `save` does.

    The grade decides when the puzzle comes again; whether it was right does not depend on it, unless it is
    `AGAIN`. Then the puzzle comes again after some others, and the puzzle `alike` (an id) next.
    """
    assert opened.item is not None
    at = utc_now()
    item, state = opened.item, opened.state
    went = given if given is Grade.AGAIN else opened.grade
    item.result = _RESULTS.get(went, Result.RIGHT)
    item.seconds = state.seconds(at)
    state.next(at)
    if given is Grade.AGAIN and not state.is_cycle:
        later = min(state.place + AGAIN_AFTER, len(state.items))
        if item.badge is not Badge.AGAIN:
            state.items.insert(later, Item(puzzle_id=item.puzzle_id, badge=Badge.AGAIN))
        if alike is not None:
            opened.insert(alike)
    with store.session() as session:
        if not _save(session, opened, keep_solving=False):
            return False
        add_attempt(session, opened.solver, item.puzzle_id, went, seconds=item.seconds, at=at, chosen=given)
    return True


def skip(store: Store, opened: OpenRound) -> bool:
    """Go on to the next puzzle without an attempt, or with a failed one; return as `save` does."""
    assert opened.item is not None
    assert opened.solving is not None
    if opened.solving.has_failed:
        return grade(store, opened, Grade.AGAIN)
    at = utc_now()
    opened.item.result, opened.item.seconds = Result.SKIPPED, opened.state.seconds(at)
    opened.state.next(at)
    with store.session() as session:
        return _save(session, opened, keep_solving=False)


def _save(session: Session, opened: OpenRound, *, keep_solving: bool = True) -> bool:
    if keep_solving and opened.solving is not None:
        opened.state.solving = opened.solving.state
    is_same = (Round.number == opened.number) & (Round.version == opened.version)
    finished = utc_now() if opened.item is None else None
    change = (
        update(Round)
        .where(is_same)
        .values(state=opened.state.model_dump(mode="json"), version=opened.version + 1, finished=finished)
    )
    return bool(session.execute(change).rowcount)  # type: ignore[attr-defined]


def begin(
    store: Store,
    solver: str,
    title: str,
    entries: Iterable[SetEntry],
    set_name: str = "",
    *,
    is_cycle: bool = False,
) -> int:
    """Store a new round with some puzzles; return its number. Raises `InputError` if there are none."""
    entries, at = list(entries), utc_now()
    if not entries:
        raise InputError("there is nothing to solve")
    with store.session() as session:
        dates = due_dates(session, solver)
        items = [Item(puzzle_id=entry.puzzle.id, badge=_badge(entry, dates)) for entry in entries]
        state = RoundState(items=items, is_cycle=is_cycle, begun=at)
        begun = Round(
            solver=solver, title=title, set_name=set_name, state=state.model_dump(mode="json"), started=at
        )
        session.add(begun)
        session.flush()
        return begun.number


def unfinished(session: Session, solver: str) -> Round | None:
    """Return the newest round that somebody has begun and not finished, None if there is none.

    A cycle takes days, and is none: see `cycles`.
    """
    rounds = select(Round).where(Round.solver == solver, Round.finished.is_(None))
    newest_first = session.scalars(rounds.order_by(Round.number.desc()))
    return next((one for one in newest_first if not is_cycle(one)), None)


def is_cycle(stored: Round) -> bool:
    """Return whether a round is one of the cycles of a set."""
    return bool(stored.state.get("is_cycle"))


def _badge(entry: SetEntry, dates: dict[str, datetime]) -> Badge:
    if entry.puzzle.id in dates:
        return Badge.REVIEW
    return own_badge(entry) or Badge.NEW


def own_badge(entry: SetEntry) -> Badge | None:
    """Return what became of a puzzle in the solver's own game, None if it is from another one."""
    if not entry.is_own or entry.opportunity is None:
        return None
    is_allowed = entry.opportunity.opportunity_kind == OpportunityKind.ALLOWED
    return Badge.ALLOWED if is_allowed else Badge.MISSED


def seen(session: Session, solver: str, puzzle: Puzzle) -> tuple[int, datetime | None]:
    """Return how often somebody has tried a puzzle, and when last (UTC)."""
    tried = select(func.count(), func.max(Attempt.at)).where(
        Attempt.solver == solver, Attempt.puzzle_id == puzzle.id
    )
    count, last = session.execute(tried).one()
    return count, None if last is None else in_utc(last)
