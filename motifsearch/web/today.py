"""The first screen: what is due, what costs most, what is new from one's games, and the sets."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

import chess
from fastapi import APIRouter, Form, Request
from markupsafe import Markup
from sqlalchemy.orm import Session
from starlette.responses import Response

from chess_motif.boards import solution_san
from chess_motif.notation import parse_move
from chess_motif.pages.boards import Look, Size, board_svg
from chess_motif.text import clock, counted
from db.attempts import due_dates
from db.days import day_of, days_between
from db.models import utc_now
from db.sets import SetEntry, all_sets, counts_of_sets
from motifsearch.show.card import PuzzleCard
from motifsearch.show.report import ShareRow
from motifsearch.trainer.cycles import Cycle, cycles_of
from motifsearch.trainer.plan import DRILL, Today, today
from motifsearch.trainer.report import opportunity_tables
from motifsearch.trainer.rounds import unfinished
from motifsearch.web.sets import address_of
from motifsearch.web.site import Site, page, see, site_of
from motifsearch.web.student import choose
from puzzlegen.motifs.table import TAGS

router = APIRouter()

# How much is shown of what costs most, and of what is new.
MOST_MOTIFS = 5
MOST_MISSED = 2

# A minute or so for a puzzle.
SECONDS = 50


@dataclass(frozen=True)
class MissedGame:
    """A missed opportunity that was not tried yet."""

    board: Markup
    puzzle_id: str
    played: str
    lost: str
    game: str


@dataclass(frozen=True)
class SetRow:
    """A set, and `whom` it is for: how much was solved, and is due.

    `cycle` says how far the last one is, or how it went.
    """

    name: str
    whom: str
    puzzles: int
    solved: int
    due: int
    cycle: str

    @property
    def percent(self) -> int:
        """How much of it was solved."""
        return round(100 * self.solved / self.puzzles) if self.puzzles else 0

    @property
    def address(self) -> str:
        """The address of its screen."""
        return address_of(self.name)


@dataclass(frozen=True)
class TodayView:
    """The screen as it is shown; `continues` is the number of a round that was begun, if there is one.

    `more` counts the puzzles that can be solved beyond today's; `others` are the sets of others.
    """

    date: str
    heading: str
    sentence: str
    count: int
    continues: int | None
    more: int
    board: Markup
    games: int
    motifs: Sequence[ShareRow]
    missed: Sequence[MissedGame]
    sets: Sequence[SetRow]
    others: Sequence[SetRow]

    def data(self) -> dict[str, object]:
        """Return what is answered as JSON."""
        return {
            "due": self.count,
            "round": self.continues,
            "motifs": self.motifs,
            "sets": self.sets,
            "others": self.others,
        }


@router.get("/")
def show_today(request: Request) -> Response:
    """Show what is to be done today."""
    site = site_of(request)
    view = _view(site, site.student(request))
    return page(request, "today.html", title="Today", view=view, data=view.data)


@router.post("/student")
def change_student(
    name: Annotated[str, Form(max_length=200, description="Who is solving from now on.")],
) -> Response:
    """Change who is solving."""
    return choose(see("/"), name)


def _view(site: Site, student: str) -> TodayView:
    now = utc_now()
    day = day_of(now)
    with site.store.reading() as session:
        due = today(session, student, now) if student else Today()
        begun = unfinished(session, student) if student else None
        sets, others = _sets(session, student, now)
        missed = _missed(due, due_dates(session, student))
    tables = opportunity_tables(site.store, [student]) if student else None
    rows = [] if tables is None else [row for row in tables.by["main motif"] if row.name in TAGS]
    rows = sorted((row for row in rows if row.player.missed), key=lambda row: -row.player.lost)
    count = len(due.entries)
    return TodayView(
        date=f"{day:%A}, {day.day} {day:%B}",
        heading=_heading(student, count),
        sentence=_sentence(student, due, sets, now),
        count=count,
        continues=begun.number if begun else None,
        more=min(due.untried, DRILL),
        board=_board(due),
        games=0 if tables is None else tables.games,
        motifs=[ShareRow.of(row) for row in rows[:MOST_MOTIFS]],
        missed=missed,
        sets=sets,
        others=others,
    )


def _heading(student: str, count: int) -> str:
    if not student:
        return "Start with your games"
    return f"{counted(count, 'puzzle')} today" if count else "Nothing due today"


def _sentence(student: str, due: Today, sets: Sequence[SetRow], now: datetime) -> str:
    if not student:
        return "chess-motif looks for the tactics that you missed, and makes a training set of them."
    if not due.entries:
        if due.next is None:
            return "There are no puzzles in your sets."
        days = days_between(now, due.next)
        when = "tomorrow" if days == 1 else f"in {days} days"
        new = f" Until then, your sets have {counted(due.untried, 'new one')}." if due.untried else ""
        return f"The next one comes again {when}.{new}"
    parts = [f"{len(due.reviews)} to review"] if due.reviews else []
    parts += [f"{len(due.new)} new {'one' if len(due.new) == 1 else 'ones'}"] if due.new else []
    minutes = max(1, round(len(due.entries) * SECONDS / 60))
    waiting = f" {due.left_over} more can wait." if due.left_over else ""
    return f"{' and '.join(parts)}, about {counted(minutes, 'minute')}.{waiting}"


def _sets(session: Session, student: str, now: datetime) -> tuple[list[SetRow], list[SetRow]]:
    """Return the student's sets, and those of others."""
    counts, cycles = counts_of_sets(session, student, now), cycles_of(session, student)
    own, others = list[SetRow](), list[SetRow]()
    for each in all_sets(session):
        if each.name in counts:
            row = SetRow(each.name, each.solver, *counts[each.name], _cycle(cycles.get(each.name)))
            (own if each.student == student else others).append(row)
    return own, others


def _cycle(cycles: Sequence[Cycle] | None) -> str:
    if not cycles:
        return ""
    last = cycles[-1]
    if not last.is_finished:
        return f"cycle {len(cycles)}: {last.done} of {last.puzzles} done"
    return f"cycle {len(cycles)}: {last.percent} % in {clock(last.time)}"


def _missed(due: Today, tried: Collection[str]) -> list[MissedGame]:
    """Return what the student missed in her newest games and has not tried to solve."""
    own = [entry for entry in due.all if entry.is_own and entry.puzzle.id not in tried]
    own.sort(key=lambda entry: entry.opportunity.game.date if entry.opportunity else "", reverse=True)
    return [_missed_game(entry) for entry in own[:MOST_MISSED]]


def _missed_game(entry: SetEntry) -> MissedGame:
    one = entry.opportunity
    assert one is not None
    position, game = one.position(), one.game
    players = f"{game.white or '?'} – {game.black or '?'}"
    date = game.date.partition(".?")[0].strip("?")
    return MissedGame(
        PuzzleCard.to_solve(entry.puzzle).small,
        entry.puzzle.id,
        solution_san(position, [parse_move(position, one.played)]),
        f"{one.lost:.1f}",
        f"{players}, {date}" if date else players,
    )


def _board(due: Today) -> Markup:
    """Return the first puzzle of today, or else one of the student's sets, or else the initial position."""
    entries = due.entries or due.all
    if entries:
        return PuzzleCard.to_solve(entries[0].puzzle).svg
    return board_svg(chess.Board(), Look(chess.WHITE, "The initial position", Size.MEDIUM))
