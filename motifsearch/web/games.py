"""The screen of one's own games, `/games`: adding games, what was found in them, and its puzzles."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from http import HTTPStatus
from typing import Annotated, NamedTuple

from fastapi import APIRouter, File, Form, Query, Request, UploadFile
from markupsafe import Markup
from starlette.responses import Response

from chess_motif.boards import solution_san
from chess_motif.errors import InputError
from chess_motif.notation import parse_move
from chess_motif.text import counted
from db.analyses import Opportunity, opportunities_given, opportunities_of
from db.puzzles import get_puzzles
from motifsearch.show.card import PuzzleCard
from motifsearch.show.report import ShareRow, verdict_texts
from motifsearch.trainer.plan import DRILL
from motifsearch.trainer.report import (
    LEAST_CASES,
    MAIN_MOTIF,
    PHASES,
    UNKNOWN,
    OpportunityTables,
    OpportunityTally,
    ReportRow,
    clock_of,
    main_motif_of,
    opportunity_tables,
)
from motifsearch.web.analyses import Analysis, Looking, upload
from motifsearch.web.jobs import JobState
from motifsearch.web.site import has_gone, page, see, site_of
from motifsearch.web.student import choose, name_of
from puzzlegen.motifs.table import TAGS
from puzzlegen.motifs.tags import NO_MOTIF, tag_words

router = APIRouter()

# Where accounts are.
SITES = {"lichess": "Lichess", "chesscom": "Chess.com"}

# Motifs to work on, and newest misses, that are shown with a board.
MOST_WEAK = 3
MOST_NEWEST = 4

# Diagrams that one list shows.
MOST_SHOWN = 24


@dataclass(frozen=True)
class ShareTable:
    """A table of the opportunities: what they are grouped by, its name in addresses, and its rows."""

    title: str
    name: str
    rows: Sequence[ShareRow]


@dataclass(frozen=True)
class Month:
    """The opportunities of a month, and where its share found and the interval are on the chart (0…100)."""

    name: str
    x: float
    at: float
    low: float
    high: float
    words: str


class Weak(NamedTuple):
    """A motif that cost many points: its row, a board from the student's games, and what is said of it."""

    row: ShareRow
    board: Markup
    puzzle_id: str
    says: str


class Newest(NamedTuple):
    """An opportunity that was missed in one of the newest games, and that has not been tried since."""

    board: Markup
    puzzle_id: str
    played: str
    says: str


@dataclass(frozen=True)
class Typed:
    """What was typed into the forms, and why it could not be used."""

    user: str = ""
    on: str = ""
    since: str = ""
    player: str = ""
    error: str = ""


@dataclass(frozen=True)
class GamesView:
    """The screen as it is shown; `own` counts what was missed and can be solved, `missed` all of it."""

    games: int
    verdict: str
    summary: str
    more: Sequence[str]
    groups: Sequence[ShareTable]
    months: Sequence[Month]
    own: int
    job: JobState | None
    interrupted: Sequence[str]
    sites: dict[str, str]
    weak: Sequence[Weak] = ()
    newest: Sequence[Newest] = ()
    missed: int = 0

    def data(self) -> dict[str, object]:
        """Return what is answered as JSON."""
        return {
            "games": self.games,
            "says": [self.verdict, *self.more],
            "groups": self.groups,
            "job": self.job,
            "interrupted": self.interrupted,
        }


@router.get("/games")
def show_games(request: Request) -> Response:
    """Show what was found in the student's games, and how far an analysis is."""
    student = name_of(site_of(request).student(request))
    return _screen(request, Typed(user="" if " " in student else student))


def _screen(request: Request, typed: Typed) -> Response:
    site = site_of(request)
    student = site.student(request)
    tables = opportunity_tables(site.store, [student]) if student else None
    interrupted = [each.title for each in site.analyses.interrupted]
    view = _view(tables, student, site.analyses.jobs.state, interrupted)
    return page(
        request,
        "games.html",
        title="My games",
        status=HTTPStatus.BAD_REQUEST if typed.error else HTTPStatus.OK,
        view=view,
        typed=typed,
        lacking=site.engine.lacking,
        data=lambda: {"error": typed.error} if typed.error else view.data(),
    )


@router.get("/games/progress")
def show_progress(request: Request) -> Response:
    """Show how far an analysis is, for the page's script."""
    state = site_of(request).analyses.jobs.state
    return page(request, "job.html", title="Progress", job=state, data=lambda: state)


@router.post("/games/stop")
def stop_analysis(request: Request) -> Response:
    """Stop the analysis that goes on; what was analysed is kept."""
    site_of(request).analyses.jobs.cancel()
    return see("/games")


@router.post("/games/continue")
def continue_analyses(request: Request) -> Response:
    """Go on with the analyses that were interrupted."""
    try:
        site_of(request).analyses.go_on()
    except InputError as error:
        return _screen(request, Typed(error=str(error)))
    return see("/games")


@router.post("/games")
def add_games(
    request: Request,
    user: Annotated[str, Form(max_length=100, description="The name of an account.")] = "",
    on: Annotated[str, Form(description="Where that is: lichess or chesscom.")] = "lichess",
    player: Annotated[str, Form(max_length=100, description="The name of the player in the file.")] = "",
    since: Annotated[
        str, Form(pattern=r"^(\d{4}-\d\d-\d\d)?$", description="The first day of the games, as 2026-01-31.")
    ] = "",
    file: Annotated[UploadFile | None, File(description="A file of games, as PGN.")] = None,
) -> Response:
    """Begin to analyse the games of an account, or of a file of which a player is named."""
    try:
        student = _begin(request, user.strip(), on, player, since, file)
    except InputError as error:
        return _screen(request, Typed(user, on, since, player, str(error)))
    return choose(see("/games"), student)


def _begin(request: Request, user: str, on: str, player: str, since: str, file: UploadFile | None) -> str:
    """Begin an analysis as `add_games` does, and return whose games they are. Raises `InputError`."""
    site = site_of(request)
    if file is not None and file.filename:
        path, student = upload(site.store, file, player, Looking(partial(has_gone, request)))
        source, title = str(path), file.filename
    else:
        if on not in SITES or not re.fullmatch(r"[\w-]{2,30}", user):
            raise InputError("a user name has letters, digits, - and _ only")
        student = user
        source, title = f"{on}:{student}", f"{student} on {SITES[on]}"
    site.analyses.begin(Analysis(source=source, title=title, student=student, since=_day(since)))
    return student


def _day(text: str) -> date | None:
    """Return the day that a field of a form names, None if it is empty. Raises `InputError`."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise InputError(f"there is no day {text}") from error


def _view(
    tables: OpportunityTables | None, student: str, job: JobState | None, interrupted: Sequence[str]
) -> GamesView:
    if tables is None or not tables.games:
        return GamesView(0, "", "", (), (), (), own=0, job=job, interrupted=interrupted, sites=SITES)
    summary, *more = verdict_texts(tables, student)
    shown = ((MAIN_MOTIF, "Motif", "motif"), ("phase", "Phase", "phase"), ("time left", "Time left", "clock"))
    groups = [
        ShareTable(title, name, [ShareRow.of(row) for row in tables.by[group]])
        for group, title, name in shown
        if any(row.name != UNKNOWN for row in tables.by[group])
    ]
    return GamesView(
        tables.games,
        _verdict(tables.all),
        summary,
        more,
        groups,
        _months(tables.had),
        own=min(DRILL, sum(one.puzzle_id in tables.puzzles for one in tables.missed)),
        job=job,
        interrupted=interrupted,
        sites=SITES,
        weak=_weak(tables),
        newest=_newest(tables),
        missed=tables.all.player.missed,
    )


def _weak(tables: OpportunityTables) -> list[Weak]:
    """Return the motifs that cost most and of which something was missed that can be shown."""
    shown = {main_motif_of(one): tables.puzzles.get(one.puzzle_id) for one in tables.missed}
    rows = [row for row in tables.by[MAIN_MOTIF] if row.name in TAGS and shown.get(row.name)]
    found = []
    for row in sorted(rows, key=lambda row: -row.player.lost)[:MOST_WEAK]:
        puzzle, theirs = shown[row.name], row.opponents
        assert puzzle is not None
        is_few = row.player.had < LEAST_CASES
        few = f"{counted(row.player.had, 'opportunity')}: could be luck."
        them = f"Opponents found {theirs.found} of {theirs.had}." if theirs.had else ""
        says = f"Cost {row.player.lost:.1f} points. {few if is_few else them}"
        found.append(Weak(ShareRow.of(row), PuzzleCard.to_solve(puzzle).small, puzzle.id, says))
    return found


def _newest(tables: OpportunityTables) -> list[Newest]:
    """Return what was missed in the newest games and can be solved."""
    missed = [one for one in tables.missed if one.puzzle_id in tables.puzzles]
    missed.sort(key=lambda one: one.game.date, reverse=True)
    found = []
    for one in missed[:MOST_NEWEST]:
        position, date = one.position(), one.game.date.partition(".?")[0].strip("?")
        played = solution_san(position, [parse_move(position, one.played)])
        says = f"{f'{date}, ' if date else ''}lost {one.lost:.1f} points"
        board = PuzzleCard.to_solve(tables.puzzles[one.puzzle_id]).small
        found.append(Newest(board, one.puzzle_id, played, says))
    return found


def _verdict(row: ReportRow) -> str:
    mine, theirs = row.player.share, row.opponents.share
    if mine is None:
        return "You had no opportunity to win or to save a game."
    verdict = f"You find {100 * mine.mean:.0f} % of your opportunities"
    return f"{verdict}; your opponents find {100 * theirs.mean:.0f} %." if theirs else f"{verdict}."


def _months(had: Sequence[Opportunity]) -> list[Month]:
    """Return the share found of each month; none of fewer than two, which show no change."""
    by_month: dict[str, list[Opportunity]] = defaultdict(list)
    for one in had:
        if re.match(r"\d{4}\.\d\d", one.game.date):
            by_month[one.game.date[:7].replace(".", "-")].append(one)
    if len(by_month) < 2:
        return []
    months = []
    for place, name in enumerate(sorted(by_month)):
        tally = OpportunityTally.of(by_month[name])
        assert tally.share is not None
        at, low, high = (round(100 * value, 1) for value in tally.share)
        x = round(100 * (place + 0.5) / len(by_month), 2)
        months.append(Month(name, x, 100 - at, 100 - high, 100 - low, f"{tally.found} of {tally.had}"))
    return months


@router.get("/games/opportunities")
def show_chances(
    request: Request,
    motif: Annotated[str, Query(description="A main motif of the report.")] = "",
    phase: Annotated[str, Query(description="The tag of a phase, such as endgame.")] = "",
    clock: Annotated[str, Query(description="The time left, in the words of the report.")] = "",
    result: Annotated[
        str, Query(pattern="^(missed|found|given|)$", description="What became of them; empty for all.")
    ] = "missed",
) -> Response:
    """Show the puzzles of some of the student's opportunities, or of those given to opponents."""
    site = site_of(request)
    student = site.student(request)
    with site.store.reading() as session:
        opportunities = (opportunities_given if result == "given" else opportunities_of)(session, [student])
        chosen = [
            one
            for one in opportunities
            if (not motif or main_motif_of(one) == motif)
            and (phase not in PHASES or phase in one.tags.split())
            and (not clock or clock_of(one) == clock)
            and (result not in ("missed", "found") or one.taken == (result == "found"))
        ]
        ids = [one.puzzle_id for one in chosen if one.puzzle_id]
        puzzles = list(get_puzzles(session, ids).values())
    found = [PuzzleCard.to_solve(puzzle) for puzzle in puzzles[:MOST_SHOWN]]
    words = tag_words(motif) if motif in TAGS else motif if motif == NO_MOTIF else ""
    says = f"{counted(len(chosen), 'opportunity')} {result}"
    if len(found) < len(chosen):
        says += f"; {len(found)} of them can be shown as puzzles"
    title = ", ".join(filter(None, [words, phase, clock])) or "All opportunities"
    return page(
        request,
        "opportunities.html",
        title=title[:1].upper() + title[1:],
        says=says,
        found=found,
        data=lambda: {"says": says, "puzzles": [each.id for each in found]},
    )
