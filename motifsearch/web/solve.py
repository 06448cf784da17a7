"""The screen on which puzzles are solved: `/solve/<round>`, and what its forms do.

Each form has the version of the round that it was made for. What comes from an older page, in another tab or
after going back, changes nothing: the answer is the round as it is.
"""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, HTTPException, Path, Query, Request
from starlette.responses import Response

from chess_motif.errors import InputError, PositionError
from db.puzzles import get_puzzle
from db.sets import SetEntry, find_entry
from motifsearch.search import PuzzleQuery
from motifsearch.show.card import PuzzleCard
from motifsearch.show.solving import unclear_text
from motifsearch.trainer.cycles import cycles_of
from motifsearch.trainer.plan import drill, some_missed, some_new, some_of_set, today
from motifsearch.trainer.rounds import OpenRound, Refuted, Result, begin, grade, open_round, save, skip
from motifsearch.trainer.solving import Feedback, Grade
from motifsearch.web.problems import public_message
from motifsearch.web.sets import MOST_SELECTED, CycleRow, cycle_rows
from motifsearch.web.site import LARGEST_NUMBER, Site, client_of, has_gone, page, see, site_of
from motifsearch.web.solved import Solved
from motifsearch.web.unsolved import Unsolved
from puzzlegen.motifs.tags import main_words

router = APIRouter()

# Puzzles that are shown beside a solved one.
ALIKE = 3

Number = Annotated[int, Path(ge=0, le=LARGEST_NUMBER, description="The number of the round.")]
Version = Annotated[int, Form(description="The version of the round that the page shows.")]


class Action(StrEnum):
    """What a button does with the puzzle that is asked for, besides playing a move."""

    HINT = "hint"
    SHOW = "show"
    AGAIN = "again"
    SKIP = "skip"
    GRADE = "grade"


class Only(StrEnum):
    """What a round is of, if not of all that is due today."""

    NEW = "new"
    MISSED = "missed"


@router.post("/rounds")
def begin_round(
    request: Request,
    set_name: Annotated[str, Form(alias="set", description="The name of a set.")] = "",
    motif: Annotated[str, Form(description="A tag, such as fork.")] = "",
    id: Annotated[list[str] | None, Form(max_length=MOST_SELECTED, description="The ids of puzzles.")] = None,
    only: Annotated[Only | None, Form(description="Only puzzles of this kind.")] = None,
) -> Response:
    """Begin a round: of what is due today, of a set, of a motif, of some puzzles, or of one kind only."""
    site = site_of(request)
    solver = site.student(request)
    with site.store.reading() as session:
        if set_name:
            entries, title = some_of_set(session, solver, set_name), set_name
        elif motif:
            entries, title = drill(session, solver, motif), main_words([motif])
        elif id:
            entries, title = [SetEntry(get_puzzle(session, one)) for one in id], ""
        elif only is not None:
            entries, title = {Only.NEW: some_new, Only.MISSED: some_missed}[only](session, solver), ""
        else:
            entries, title = list(today(session, solver).entries), ""
    return see(f"/solve/{begin(site.store, solver, title, entries, set_name)}")


@router.get("/solve/{number}")
def show_round(
    request: Request,
    number: Number,
    ply: Annotated[int, Query(ge=0, description="The half-moves of the line that have been played.")] = 0,
    flip: Annotated[bool, Query(description="Whether the board is seen from the other side.")] = False,
    said: Annotated[str, Query(description="What is said of text that is no move.")] = "",
) -> Response:
    """Show the puzzle that is asked for, with what has happened; `ply` steps through a solved one."""
    site = site_of(request)
    opened = _round(site, number)
    if opened.item is None:
        return _ended(request, site, opened)
    if not opened.is_done or opened.entry is None:
        asked = Unsolved(site.store, opened, flip=flip, said=said)
        return page(request, "solve.html", title="Solve", view=asked, data=asked.data)
    alike, unavailable = site.alike(PuzzleQuery.of(opened.entry.puzzle), ALIKE, opened.solver)
    solved = Solved(site.store, opened, alike, unavailable, ply=ply, flip=flip)
    return page(request, "solved.html", title="Solve", view=solved, data=solved.data)


@router.post("/solve/{number}/move")
def play(
    request: Request,
    number: Number,
    version: Version,
    move: Annotated[str, Form(max_length=20, description="A move, in SAN or UCI.")] = "",
    flip: Annotated[bool, Form(description="Whether the board is seen from the other side.")] = False,
) -> Response:
    """Play a move."""
    site, opened = _opened(request, number, version)
    here = _here(number, flip)
    if opened is None or opened.solving is None or opened.is_done:
        return see(here)
    opened.try_again()
    board = opened.solving.board.copy()
    if not move.strip():
        return see(_here(number, flip, "Type a move, such as Nf3"))
    try:
        feedback = opened.solving.play(move)
    except PositionError as error:
        return see(_here(number, flip, str(error)))
    if feedback is Feedback.UNCLEAR:
        return see(_here(number, flip, unclear_text(opened.solving)))
    if feedback is Feedback.WRONG:
        assert opened.solving.wrong is not None
        client, wrong = client_of(request), opened.solving.wrong
        refutation = site.engine.refuted(board, wrong, client, partial(has_gone, request))
        if refutation is None:
            opened.refuted(Refuted())
        else:
            line = [each.uci() for each in refutation.line]
            said = Refuted(
                sentence=refutation.sentence,
                outcome=refutation.outcome,
                line=line,
                also_wins=refutation.also_wins,
            )
            opened.refuted(said)
    save(site.store, opened)
    return see(here)


@router.post("/solve/{number}/{action}")
def act(
    request: Request,
    number: Number,
    action: Annotated[Action, Path(description="What the button does.")],
    version: Version,
    given: Annotated[Grade, Form(alias="grade", description="How it went.")] = Grade.GOOD,
    flip: Annotated[bool, Form(description="Whether the board is seen from the other side.")] = False,
) -> Response:
    """Do what a button says."""
    site, opened = _opened(request, number, version)
    if opened is None or opened.solving is None:
        return see(_here(number, flip))
    if action is Action.GRADE and opened.is_done:
        assert opened.entry is not None
        wants_alike = given is Grade.AGAIN and opened.wants_alike
        grade(site.store, opened, given, _one_alike(site, opened) if wants_alike else None)
    elif action is Action.SKIP and not opened.is_done:
        skip(site.store, opened)
    elif action is not Action.GRADE and not opened.is_done:
        {Action.HINT: opened.hint, Action.SHOW: opened.show, Action.AGAIN: opened.try_again}[action]()
        save(site.store, opened)
    return see(_here(number, flip))


def _here(number: int, flip: bool, said: str = "") -> str:
    asked = {"flip": "1"} if flip else {}
    query = urlencode(asked | ({"said": said} if said else {}))
    return f"/solve/{number}{'?' if query else ''}{query}"


def _round(site: Site, number: int) -> OpenRound:
    try:
        return open_round(site.store, number)
    except InputError as error:
        raise HTTPException(404, public_message(error)) from error


def _opened(request: Request, number: int, version: int) -> tuple[Site, OpenRound | None]:
    """Return the round that a form is for, None if the round has gone on since."""
    site = site_of(request)
    opened = _round(site, number)
    return site, opened if opened.version == version else None


def _one_alike(site: Site, opened: OpenRound) -> str | None:
    """Return the id of a puzzle like the one that was failed, none of this round."""
    assert opened.entry is not None
    known = {item.puzzle_id for item in opened.state.items}
    hits, _ = site.alike(PuzzleQuery.of(opened.entry.puzzle), 1, opened.solver, known)
    return hits[0].puzzle.id if hits else None


def _ended(request: Request, site: Site, opened: OpenRound) -> Response:
    """Show that a round is done, with what was not right; a cycle is compared with the one before."""
    items = opened.state.items
    again = dict.fromkeys(item.puzzle_id for item in items if item.result in (Result.HELPED, Result.WRONG))
    with site.store.reading() as session:
        entries = [find_entry(session, opened.solver, name) for name in again]
    rows: list[CycleRow] = []
    if opened.state.is_cycle:
        with site.store.reading() as session:
            rows = cycle_rows(cycles_of(session, opened.solver)[opened.set_name])
    this = next((row for row in rows if row.cycle.round == opened.number), None)
    return page(
        request,
        "round.html",
        title="Done",
        round=opened,
        counts=_counts(opened),
        again=[PuzzleCard.of(entry.puzzle) for entry in entries if entry is not None],
        cycle=this,
        before=rows[this.number - 2] if this and this.number > 1 else None,
        data=lambda: opened.state,
    )


def _counts(opened: OpenRound) -> dict[str, int]:
    return {each.value: sum(item.result is each for item in opened.state.items) for each in Result}
