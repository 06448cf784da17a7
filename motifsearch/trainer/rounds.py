"""A round: puzzles that somebody solves one after the other, stored after each step.

Puzzles that are due, or of a set or a motif, go in. The round knows which puzzle comes next, how far it is
solved, and what became of those before; it goes on where it was, whoever asks. Knows nothing of how it is
shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import ValidationError
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from chess_motif.boards import solution_san
from chess_motif.errors import InputError, StoreError
from db.analyses import OpportunityKind
from db.attempts import Round, due_dates, last_review, lock_student
from db.models import utc_now
from db.sets import SetEntry, find_entry
from db.store import Store
from motifsearch.trainer.attempts import add_attempt, mend_attempt
from motifsearch.trainer.practice import Practice, next_puzzle
from motifsearch.trainer.rating import Rating, rating_of
from motifsearch.trainer.refutation import Refutation
from motifsearch.trainer.repetition import card_of, reschedule, schedule
from motifsearch.trainer.round_state import Badge, Item, Result, RoundKind, RoundState
from motifsearch.trainer.solving import Grade, Solving

# How many puzzles come before one that was failed is asked for again.
AGAIN_AFTER = 4

_RESULTS = {Grade.AGAIN: Result.WRONG, Grade.HARD: Result.HELPED}


@dataclass
class OpenRound:
    """A round at the puzzle that is asked for; `solving` is None when all are done.

    Change it by its methods, and store it by `save`.
    """

    number: int
    version: int
    solver: str
    kind: RoundKind
    title: str
    set_name: str
    is_finished: bool
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

    def refuted(self, refuted: Refutation) -> None:
        """Record what is said of the wrong move that was just played."""
        assert self.solving is not None
        assert self.item is not None
        if refuted.also_wins:
            self.solving.excuse()
            self.item.wrong = ""
        elif not self.item.why:
            self.item.why = refuted.sentence
        self.state.refuted = refuted

    def try_again(self) -> None:
        """Go back to the position before the wrong move."""
        assert self.solving is not None
        self.solving.wrong = None
        self.state.refuted = None

    @property
    def wants_alike(self) -> bool:
        """Whether one like the puzzle may come next: not if it came itself because of another one."""
        return self.item is not None and not self.item.is_added and self.takes_more

    @property
    def takes_more(self) -> bool:
        """Whether puzzles may be added that come again, or are like one that was failed."""
        return self.kind not in (RoundKind.CYCLE, RoundKind.CLOCK)


def open_round(store: Store, number: int) -> OpenRound:
    """Return a round. Raises `InputError` if there is none of this number, and `StoreError`."""
    with store.reading() as session:
        stored = session.get(Round, number)
        if stored is None:
            raise InputError(f"there is no round {number}")
        return opened_of(session, stored)


def opened_of(session: Session, stored: Round) -> OpenRound:
    """Return a round, stored or not, at its puzzle. Raises as `open_round` does."""
    try:
        state = RoundState.model_validate(stored.state)
    except ValidationError as error:
        raise StoreError(f"the round {stored.number} is damaged in the database") from error
    entry = solving = None
    # Deleted puzzles are skipped.
    while entry is None and state.place < len(state.items):
        entry = find_entry(session, stored.solver, state.items[state.place].puzzle_id)
        if entry is None:
            state.items[state.place].result = Result.SKIPPED
            state.next(state.begun)
    if entry is not None:
        solving = Solving.restored(entry.puzzle, state.solving)
    return OpenRound(
        stored.number,
        stored.version,
        stored.solver,
        RoundKind(stored.kind),
        stored.title,
        stored.set_name,
        stored.finished is not None,
        state,
        entry,
        solving,
    )


def save(store: Store, opened: OpenRound) -> bool:
    """Store a round that was changed; return False, storing nothing, if it was changed elsewhere since.

    Once the puzzle is done, its attempt is stored, with the grade that the solving suggests.
    """
    with store.session() as session:
        if not _is_newest(session, opened):
            return False
        if opened.is_done and opened.item is not None and opened.item.result is None:
            _finish(session, opened, utc_now())
        assert opened.solving is not None
        opened.state.solving = opened.solving.state
        if opened.solving.wrong is not None and opened.item is not None and not opened.item.wrong:
            opened.item.wrong = solution_san(opened.solving.board, [opened.solving.wrong])
        _save(session, opened)
    return True


def grade(store: Store, opened: OpenRound, given: Grade, alike: Sequence[str] = ()) -> bool:
    """Store how hard the puzzle was, and go on to the next one; return as `save` does.

    The grade decides when the puzzle comes again; whether it was right does not depend on it. After `AGAIN`,
    the puzzle comes again after some others. The puzzles `alike` (ids) come next.
    """
    assert opened.item is not None
    at = utc_now()
    item, state = opened.item, opened.state
    with store.session() as session:
        if not _is_newest(session, opened):
            return False
        if item.result is None:
            _finish(session, opened, at)
        if given is not opened.grade:
            _regrade(session, opened, given, at)
        if given is Grade.AGAIN and opened.takes_more and item.badge is not Badge.AGAIN:
            while len(state.items) - state.place <= AGAIN_AFTER and _add_next(session, opened, at):
                pass
            later = min(state.place + 1 + AGAIN_AFTER, len(state.items))
            state.items.insert(later, Item(puzzle_id=item.puzzle_id, badge=Badge.AGAIN))
        added = [Item(puzzle_id=name, badge=Badge.ALIKE) for name in alike]
        state.items[state.place + 1 : state.place + 1] = added
        _next(session, opened, at)
    return True


def skip(store: Store, opened: OpenRound) -> bool:
    """Go on to the next puzzle without an attempt, or with a failed one; return as `save` does."""
    assert opened.item is not None
    assert opened.solving is not None
    if opened.solving.has_failed:
        return grade(store, opened, Grade.AGAIN)
    at = utc_now()
    with store.session() as session:
        if not _is_newest(session, opened):
            return False
        opened.item.result, opened.item.seconds = Result.SKIPPED, opened.state.seconds(at)
        _next(session, opened, at)
    return True


def end(store: Store, opened: OpenRound) -> bool:
    """End a round before its last puzzle; return as `save` does."""
    with store.session() as session:
        if not _is_newest(session, opened):
            return False
        done = opened.state.place + (opened.item is not None and opened.item.result is not None)
        del opened.state.items[done:]
        opened.state.place = done
        _save(session, opened)
    return True


def discard(store: Store, student: str, number: int, *, undo: bool = False) -> None:
    """Take a round from those that are open, or with `undo` put it back. It stays as it is, with its link."""
    finished = None if undo else utc_now()
    with store.session() as session:
        of_student = (Round.number == number) & (Round.solver == student)
        session.execute(update(Round).where(of_student).values(finished=finished))


def _finish(session: Session, opened: OpenRound, at: datetime) -> None:
    """Store the attempt at the puzzle, and when it is due again if nobody says how hard it was."""
    assert opened.item is not None
    assert opened.entry is not None
    item, grade = opened.item, opened.grade
    item.result, item.seconds = _RESULTS.get(grade, Result.RIGHT), opened.state.seconds(at)
    on_clock = opened.kind is RoundKind.CLOCK
    before = rating_of(session, opened.solver)
    attempt = add_attempt(
        session, opened.solver, opened.entry.puzzle, grade, seconds=item.seconds, at=at, on_clock=on_clock
    )
    if attempt.rating is not None:
        item.rating_before, item.rating_after = (before or Rating()).value, attempt.rating
    opened.state.attempt = attempt.number
    if not on_clock:
        opened.state.card = card_of(session, opened.solver, item.puzzle_id)
        schedule(session, opened.solver, item.puzzle_id, grade, at)


def explain(store: Store, opened: OpenRound, refuted: Refutation) -> None:
    """Store what is said of the wrong move that was the last one of `opened`.

    The version of the round stays, so that what somebody does before the reason is seen still counts. A move
    that wins as well is no mistake, also if the solver has played on since.
    """
    now = open_round(store, opened.number)
    if now.solving is None or now.state.place != opened.state.place:
        return
    if now.version == opened.version and now.state.refuted is None:
        now.refuted(refuted)
    elif refuted.also_wins and now.solving.mistakes and opened.version not in now.state.excused:
        now.solving.excuse()
    else:
        return
    if refuted.also_wins:
        now.state.excused.append(opened.version)
    now.state.solving = now.solving.state
    with store.session() as session:
        if _is_newest(session, now):
            _correct(session, now)
            session.get_one(Round, now.number).state = now.state.model_dump(mode="json")


def _correct(session: Session, opened: OpenRound) -> None:
    """Mend the attempt at the puzzle if it is stored and went better than it seemed."""
    item, attempt = opened.item, opened.state.attempt
    if item is None or attempt is None or item.result is not Result.WRONG or opened.grade is Grade.AGAIN:
        return
    item.result = _RESULTS.get(opened.grade, Result.RIGHT)
    item.rating_after = mend_attempt(session, attempt, hinted=opened.grade is Grade.HARD)
    _regrade(session, opened, opened.grade, utc_now())


def _regrade(session: Session, opened: OpenRound, given: Grade, at: datetime) -> None:
    """Let a grade take the place of the suggested one, unless the puzzle was reviewed elsewhere since."""
    assert opened.item is not None
    name, state = opened.item.puzzle_id, opened.state
    if opened.kind is not RoundKind.CLOCK and last_review(session, opened.solver, name) == state.attempt:
        reschedule(session, opened.solver, name, state.card, given, at)


def _next(session: Session, opened: OpenRound, at: datetime) -> None:
    """Go on to the next puzzle, which is chosen if the round is one of practice, and store the round."""
    opened.state.next(at)
    if opened.item is None:
        _add_next(session, opened, at)
    _save(session, opened)


def _add_next(session: Session, opened: OpenRound, at: datetime) -> bool:
    """Add a puzzle to a round of practice; return False if it has enough, or there is no other."""
    state = opened.state
    if state.practice is None or not state.wants_more(at):
        return False
    puzzle = next_puzzle(session, opened.solver, state.practice, {item.puzzle_id for item in state.items})
    if puzzle is not None:
        state.items.append(Item(puzzle_id=puzzle.id))
    return puzzle is not None


def _is_newest(session: Session, opened: OpenRound) -> bool:
    """Return whether a round is as it is stored; nobody else changes it until the transaction ends."""
    lock_student(session, opened.solver)
    version = select(Round.version).where(Round.number == opened.number).with_for_update()
    return session.scalar(version) == opened.version


def _save(session: Session, opened: OpenRound) -> None:
    stored = session.get_one(Round, opened.number)
    stored.state = opened.state.model_dump(mode="json")
    stored.version = opened.version + 1
    stored.finished = utc_now() if opened.item is None else None


def begin(
    store: Store,
    student: str,
    title: str,
    entries: Iterable[SetEntry],
    set_name: str = "",
    kind: RoundKind = RoundKind.SOME,
) -> int:
    """Store a new round with some puzzles; return its number. Raises `InputError` if there are none."""
    with store.session() as session:
        tried = due_dates(session, student)
        items = [Item(puzzle_id=each.puzzle.id, badge=own_badge(each) or Badge.NEW) for each in entries]
        for item in items:
            item.badge = Badge.REVIEW if item.puzzle_id in tried else item.badge
        state = RoundState(items=items, begun=utc_now())
        return begin_round(session, student, kind, title, set_name, state)


def begin_practice(
    store: Store,
    student: str,
    title: str,
    practice: Practice,
    kind: RoundKind = RoundKind.PRACTICE,
    *,
    most: int | None = None,
    minutes: int | None = None,
) -> int:
    """Store a new round whose puzzles are chosen one by one; return its number.

    It has `most` puzzles (default: no end), or ends after some `minutes`. Raises `InputError` if no puzzle
    fits.
    """
    at = utc_now()
    with store.session() as session:
        puzzle = next_puzzle(session, student, practice)
        if puzzle is None:
            raise InputError("no puzzle fits that you have not tried")
        ends = None if minutes is None else at + timedelta(minutes=minutes)
        items = [Item(puzzle_id=puzzle.id)]
        state = RoundState(items=items, practice=practice, most=most, ends=ends, begun=at)
        return begin_round(session, student, kind, title, "", state)


def begin_round(
    session: Session, student: str, kind: RoundKind, title: str, set_name: str, state: RoundState
) -> int:
    """Store a new round; return its number. Raises `InputError` if there are no puzzles."""
    if not state.items:
        raise InputError("there is nothing to solve")
    begun = new_round(student, kind, title, set_name, state)
    session.add(begun)
    session.flush()
    return begun.number


def new_round(student: str, kind: RoundKind, title: str, set_name: str, state: RoundState) -> Round:
    """Return a round that is not stored."""
    return Round(
        solver=student,
        kind=kind.value,
        title=title,
        set_name=set_name,
        state=state.model_dump(mode="json"),
        started=state.begun,
    )


def open_rounds(session: Session, student: str) -> list[Round]:
    """Return the rounds that a student has begun and not finished, newest first.

    A cycle takes days, and is left out, see `cycles`; so are rounds against the clock.
    """
    left_out = (RoundKind.CYCLE.value, RoundKind.CLOCK.value)
    rounds = select(Round).where(
        Round.solver == student, Round.finished.is_(None), Round.kind.not_in(left_out)
    )
    return list(session.scalars(rounds.order_by(Round.number.desc())))


def own_badge(entry: SetEntry) -> Badge | None:
    """Return what became of a puzzle in the solver's own game, None if it is from another one."""
    if not entry.is_own or entry.opportunity is None:
        return None
    is_allowed = entry.opportunity.opportunity_kind == OpportunityKind.ALLOWED
    return Badge.ALLOWED if is_allowed else Badge.MISSED
