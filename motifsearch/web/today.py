"""The first screen: today's plan, with its puzzle on the board, open rounds, weak motifs, and homework."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Path, Query, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from chess_motif.errors import InputError
from chess_motif.text import clean_name, counted
from db.attempts import Round, due_dates
from db.days import day_of, days_between
from db.models import utc_now
from db.puzzles import count_puzzles
from db.sets import SetCounts, counts_of_sets, homework
from motifsearch.trainer.plan import DRILL, Plan, begin_today, plan_of, round_of_today
from motifsearch.trainer.practice import Practice, next_puzzle
from motifsearch.trainer.progress import FINDING, motifs_of
from motifsearch.trainer.round_state import Badge, Item, RoundKind, RoundState
from motifsearch.trainer.rounds import OpenRound, discard, new_round, open_round, open_rounds, opened_of
from motifsearch.trainer.solving import Grade
from motifsearch.web import solve
from motifsearch.web.progress import MotifRow
from motifsearch.web.sets import address_of
from motifsearch.web.site import LARGEST_NUMBER, Site, page, see, site_of, wants_json
from motifsearch.web.student import choose, name_of, named, take_name
from motifsearch.web.unsolved import Unsolved

router = APIRouter()

# Weak motifs that are named.
MOST_MOTIFS = 3

# Open rounds that are listed.
MOST_OPEN = 3

# A minute or so for a puzzle.
SECONDS = 50

_GROUPS = (
    ("reviews", {Badge.REVIEW}),
    ("new", {Badge.NEW}),
    ("from games", {Badge.MISSED, Badge.ALLOWED}),
)


@dataclass(frozen=True)
class Group:
    """A part of the plan: its puzzles, what it is called, and whether its turn is now."""

    items: Sequence[Item]
    words: str
    is_now: bool


@dataclass(frozen=True)
class OpenRow:
    """A round that was begun: what it is, how far, and since when."""

    number: int
    title: str
    since: str


@dataclass(frozen=True)
class SetRow:
    """A set of the student: how much is solved, and due."""

    name: str
    counts: SetCounts

    @property
    def address(self) -> str:
        """The address of its screen."""
        return address_of(self.name)


class TodayView:
    """The screen as it is shown; `round` is today's, stored or not, None if there are no puzzles at all."""

    def __init__(self, site: Site, student: str, *, discarded: int | None = None) -> None:
        now = utc_now()
        self.day, self.discarded = day_of(now), discarded
        self.name = name_of(student)
        with site.store.reading() as session:
            stored = round_of_today(session, student, now)
            self.plan = Plan(()) if stored else plan_of(session, student, now)
            self.done = RoundState.model_validate(stored.state) if stored else None
            self.is_over = stored is not None and stored.finished is not None
            self.round = self._round(session, student, stored)
            begun = [
                one for one in open_rounds(session, student) if stored is None or one.number != stored.number
            ]
            self.open = [self._open(one) for one in begun[:MOST_OPEN]]
            rows = [MotifRow.of(one) for one in motifs_of(session, student, now)]
            self.weak = [row for row in rows if row.is_known][:MOST_MOTIFS]
            counts = counts_of_sets(session, student, now)
            own = (each.name for each in homework(session, student))
            self.sets = [SetRow(name, counts[name]) for name in own if name in counts]
            self._later = [days_between(now, date) for date in due_dates(session, student).values()]
            self.ask = self.round and Unsolved(session, self.round, ply=None, flip=False, said="")
            self.has_puzzles = self.round is not None or count_puzzles(session, most=1) > 0

    def _round(self, session: Session, student: str, stored: Round | None) -> OpenRound | None:
        if stored is not None and stored.finished is None:
            opened = opened_of(session, stored)
            if opened.item is not None:
                return opened
            # The puzzles that were left have been deleted.
            self.is_over = True
        items = list(self.plan.items)
        if stored is not None or not items:
            # What comes after today's plan; the same until it is begun.
            chance = random.Random(f"{student} {self.day} more")
            more = next_puzzle(session, student, Practice(), chance=chance)
            items = [Item(puzzle_id=more.id)] if more else []
        if not items:
            return None
        state = RoundState(items=items, begun=utc_now())
        virtual = new_round(student, RoundKind.TODAY, "", "", state)
        virtual.number, virtual.version = 0, 0
        return opened_of(session, virtual)

    def _open(self, stored: Round) -> OpenRow:
        state = RoundState.model_validate(stored.state)
        day = day_of(stored.started)
        how_far = f"{min(state.place + 1, len(state.items))} of {len(state.items)}"
        if state.practice is not None:
            how_far = f"{counted(state.place, 'puzzle')} done"
        title = stored.title or ("An earlier day" if stored.kind == RoundKind.TODAY.value else "Some puzzles")
        return OpenRow(stored.number, f"{title}, {how_far}", f"open since {day.day} {day:%B}")

    @property
    def date(self) -> str:
        """The day."""
        return f"{self.day:%A}, {self.day.day} {self.day:%B}"

    @property
    def items(self) -> Sequence[Item]:
        """The puzzles of the plan, done and to be done."""
        return self.done.items if self.done else self.plan.items

    @property
    def now(self) -> Item | None:
        """The puzzle of the plan whose turn it is."""
        return None if self.is_over else next((item for item in self.items if item.result is None), None)

    @property
    def finding(self) -> int | None:
        """How many of the puzzles are done that find the level; None if it is known."""
        if self.done is not None:
            if self.done.practice is None or self.done.most is None:
                return None
            done = sum(not item.is_added and item.result is not None for item in self.done.items)
            found = FINDING - self.done.most + done
            return found if found < FINDING else None
        return self.plan.finding

    @property
    def finding_pips(self) -> list[str]:
        """What became of these puzzles, as classes."""
        done = [item.result.value for item in self.items if item.result is not None]
        before = ["right"] * ((self.finding or 0) - len(done))
        return ([*before, *done, "now"] + [""] * FINDING)[:FINDING]

    @property
    def groups(self) -> list[Group]:
        """The parts of the plan."""
        found = []
        for words, badges in _GROUPS:
            items = [item for item in self.items if item.badge in badges]
            said = f"{len(items)} {words}"
            if words == "reviews":
                said = counted(len(items), "review")
                if self.plan.due > len(items):
                    said = f"{len(items)} of {self.plan.due} reviews; new puzzles after all of them"
            if items:
                found.append(Group(items, said, self.now is not None and self.now.badge in badges))
        return found

    @property
    def progress(self) -> tuple[str, str]:
        """How far the plan is, and how long it takes."""
        own = [item for item in self.items if not item.is_added]
        done = sum(item.result is not None for item in own)
        left = max(1, round((len(own) - done) * SECONDS / 60))
        if self.is_over:
            left = max(1, round(sum(item.seconds for item in self.items) / 60))
            return f"{done} of {len(own)}", counted(left, "minute")
        return f"{done} of {len(own)}", f"about {counted(left, 'minute')}"

    @property
    def nothing_left(self) -> str:
        """What is said once all of today is done, empty before that."""
        if not self.is_over and self.items:
            return ""
        later = [days for days in self._later if days > 0]
        if not later:
            return "Nothing left today."
        first = min(later)
        when = "tomorrow" if first == 1 else f"in {first} days"
        count = later.count(first)
        some = "one comes" if count == 1 else f"{count} come"
        return f"Nothing left today. The next {some} back {when}."

    @property
    def more(self) -> int:
        """How many puzzles more are offered."""
        return DRILL

    def data(self) -> dict[str, object]:
        """Return what is answered as JSON."""
        return {
            "items": self.items,
            "round": self.round.number if self.round else None,
            "open": self.open,
            "motifs": self.weak,
            "sets": [each.name for each in self.sets],
        }


@router.get("/")
def show_today(
    request: Request,
    discarded: Annotated[
        int | None, Query(ge=0, le=LARGEST_NUMBER, description="A round that was just discarded.")
    ] = None,
) -> Response:
    """Show what is to be done today; `discarded` can be taken back."""
    site = site_of(request)
    view = TodayView(site, site.student(request), discarded=discarded)
    if view.round is not None and view.round.is_done and not wants_json(request):
        # It waits for its grade.
        return see(f"/solve/{view.round.number}")
    return page(request, "today.html", title="Today", view=view, data=view.data)


@router.post("/student")
def change_student(
    request: Request,
    name: Annotated[str, Form(max_length=200, description="Who is solving from now on.")],
) -> Response:
    """Change who is solving."""
    site, name = site_of(request), clean_name(name)
    if not name_of(name):
        raise InputError("that cannot be a name")
    with site.store.session() as session:
        take_name(session, site.student(request), name)
    return choose(see("/"), name)


@router.post("/rounds/discard")
def discard_round(
    request: Request,
    number: Annotated[int, Form(ge=0, le=LARGEST_NUMBER, description="The number of the round.")],
    undo: Annotated[bool, Form(description="Whether to take it back.")] = False,
) -> Response:
    """Take a round from those that are open, or put it back."""
    site = site_of(request)
    discard(site.store, site.student(request), number, undo=undo)
    return see("/" if undo else f"/?discarded={number}")


PuzzleId = Annotated[str, Form(max_length=8, description="The puzzle that is on the board.")]


@router.post("/solve/0/move")
def first_move(
    request: Request,
    puzzle: PuzzleId,
    move: Annotated[str, Form(max_length=20, description="A move, in SAN or UCI.")] = "",
) -> Response:
    """Begin today's puzzles by a move."""
    return _begun(request, puzzle, lambda number: solve.play(request, number, 0, move))


@router.post("/solve/0/{action}")
def first_action(
    request: Request,
    puzzle: PuzzleId,
    action: Annotated[solve.Action, Path(description="What the button does.")],
) -> Response:
    """Begin today's puzzles by a button."""
    return _begun(request, puzzle, lambda number: solve.act(request, number, action, 0, Grade.GOOD))


def _begun(request: Request, puzzle: str, does: Callable[[int], Response]) -> Response:
    """Begin today's puzzles, and do something with the first one if it is that on the board."""
    store, (student, answer) = site_of(request).store, named(request)
    number = begin_today(store, student, puzzle)
    item = open_round(store, number).item
    is_on_board = item is not None and item.puzzle_id == puzzle
    return answer(does(number) if is_on_board else see(f"/solve/{number}"))
