"""The screen on which puzzles are solved: `/solve/<round>`, and what its forms do.

Each form has the version of the round that it was made for. What comes from an older page, in another tab or
after going back, changes nothing: the answer is the round as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from enum import StrEnum
from functools import partial
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, HTTPException, Path, Query, Request
from starlette.responses import JSONResponse, Response

from chess_motif.boards import board_after
from chess_motif.errors import InputError, PositionError
from chess_motif.notation import parse_move, parse_position
from db.models import Puzzle, utc_now
from db.puzzles import get_puzzle
from db.sets import SetEntry
from motifsearch.puzzles.searcher import PuzzleHit
from motifsearch.search import PuzzleQuery
from motifsearch.show.solving import freely_text, unclear_text
from motifsearch.trainer.plan import DRILL, begin_today, drill, some_missed, some_of_set
from motifsearch.trainer.refutation import Refutation
from motifsearch.trainer.round_state import RoundKind
from motifsearch.trainer.rounds import OpenRound, begin, end, explain, grade, open_round, save, skip
from motifsearch.trainer.solving import Feedback, Grade
from motifsearch.web.done import show_done
from motifsearch.web.problems import public_message
from motifsearch.web.sets import MOST_SELECTED
from motifsearch.web.site import LARGEST_NUMBER, Site, client_of, has_gone, page, see, site_of
from motifsearch.web.solved import Solved
from motifsearch.web.student import named
from motifsearch.web.unsolved import Unsolved
from puzzlegen.motifs.tags import main_words

router = APIRouter()

# Puzzles that are shown beside a solved one, and come next if somebody wants more like it.
ALIKE = 3

# How late an answer against the clock may arrive: it takes some time to get here.
GRACE = timedelta(seconds=3)

Number = Annotated[int, Path(ge=0, le=LARGEST_NUMBER, description="The number of the round.")]
Version = Annotated[int, Form(description="The version of the round that the page shows.")]


class Action(StrEnum):
    """What a button does with the puzzle that is asked for, besides playing a move."""

    HINT = "hint"
    SHOW = "show"
    SKIP = "skip"
    GRADE = "grade"


class Then(StrEnum):
    """What comes after a grade: the next puzzle of the round, or first some like the one that was solved."""

    NEXT = "next"
    ALIKE = "alike"


class Only(StrEnum):
    """What a round is of, if not of given puzzles."""

    MISSED = "missed"


@router.post("/rounds")
def begin_round(
    request: Request,
    set_name: Annotated[str, Form(alias="set", description="The name of a set.")] = "",
    motif: Annotated[str, Form(description="A tag, such as fork.")] = "",
    id: Annotated[list[str] | None, Form(max_length=MOST_SELECTED, description="The ids of puzzles.")] = None,
    like: Annotated[
        list[str] | None,
        Form(max_length=DRILL, description="The ids of puzzles; others like them are asked."),
    ] = None,
    only: Annotated[Only | None, Form(description="Only puzzles of this kind.")] = None,
) -> Response:
    """Begin a round: of a set, of a motif, of some puzzles or others like them, or else today's plan."""
    site = site_of(request)
    student, answer = named(request)
    if not (set_name or motif or id or like or only):
        return answer(see(f"/solve/{begin_today(site.store, student)}"))
    with site.store.reading() as session:
        if set_name:
            entries, title = some_of_set(session, student, set_name), set_name
        elif motif:
            entries, title = drill(session, student, motif), main_words([motif])
        elif id:
            entries, title = [SetEntry(get_puzzle(session, one)) for one in id], ""
        elif like:
            entries, title = _like(site, student, [get_puzzle(session, one) for one in like]), ""
        else:
            entries, title = some_missed(session, student), "Missed in your games"
    return answer(see(f"/solve/{begin(site.store, student, title, entries, set_name)}"))


def _like(site: Site, student: str, puzzles: Sequence[Puzzle]) -> list[SetEntry]:
    """Return two puzzles like each of some, each once."""
    found: dict[str, SetEntry] = {}
    for puzzle in puzzles:
        hits, _ = site.alike(PuzzleQuery.of(puzzle), 2, student, found.keys())
        found |= {hit.puzzle.id: SetEntry(hit.puzzle) for hit in hits}
    return list(found.values())


@router.get("/solve/{number}")
def show_round(
    request: Request,
    number: Number,
    ply: Annotated[
        int | None, Query(ge=-1, description="The half-moves of the line that have been played.")
    ] = None,
    flip: Annotated[bool, Query(description="Whether the board is seen from the other side.")] = False,
    said: Annotated[str, Query(description="What is said of text that is no move.")] = "",
) -> Response:
    """Show the puzzle that is asked for, with what has happened; `ply` steps through the moves so far."""
    site = site_of(request)
    opened = _round(request, number)
    if not opened.is_finished and (opened.item is None or opened.state.is_over(utc_now())):
        end(site.store, opened)
    if opened.item is None:
        return show_done(request, site, opened)
    if not opened.is_done or opened.entry is None:
        with site.store.reading() as session:
            asked = Unsolved(session, opened, ply=ply, flip=flip, said=said)
        return page(request, "solve.html", title="Solve", view=asked, data=asked.data)
    alike, unavailable = _alike(site, opened)
    with site.store.reading() as session:
        solved = Solved(session, opened, alike, unavailable, ply=max(ply or 0, 0), flip=flip)
    return page(request, "solved.html", title="Solve", view=solved, data=solved.data)


@router.post("/solve/{number}/move")
def play(
    request: Request,
    number: Number,
    version: Version,
    move: Annotated[str, Form(max_length=20, description="A move, in SAN or UCI.")] = "",
    flip: Annotated[bool, Form(description="Whether the board is seen from the other side.")] = False,
) -> Response:
    """Play a move. That it is wrong is answered at once; why, `show_reason` says."""
    site, opened = _opened(request, number, version)
    here = _here(number, flip)
    if opened is None or opened.solving is None or opened.is_done:
        return see(here)
    opened.try_again()
    if not move.strip():
        return see(_here(number, flip, "Type a move, such as Nf3"))
    try:
        feedback = opened.solving.play(move)
    except PositionError as error:
        return see(_here(number, flip, str(error)))
    if feedback is Feedback.UNCLEAR:
        return see(_here(number, flip, unclear_text(opened.solving)))
    is_answered = feedback in (Feedback.WRONG, Feedback.SOLVED)
    if opened.kind is RoundKind.CLOCK and is_answered:
        grade(site.store, opened, opened.grade)
    else:
        save(site.store, opened)
    return see(here)


@router.post("/solve/{number}/end")
def end_round(request: Request, number: Number) -> Response:
    """End a round before its last puzzle."""
    site = site_of(request)
    opened = _round(request, number)
    if opened.item is not None:
        end(site.store, opened)
    return see(f"/solve/{number}")


@router.get("/solve/{number}/reason")
def show_reason(
    request: Request,
    number: Number,
    version: Annotated[int, Query(description="The version of the round that the page shows.")],
    flip: Annotated[bool, Query(description="Whether the board is seen from the other side.")] = False,
) -> Response:
    """Find out why the last move was wrong, and show it."""
    site, opened = _opened(request, number, version)
    if opened is not None and opened.solving is not None and opened.solving.wrong is not None:
        board, wrong = opened.solving.board, opened.solving.wrong
        if opened.state.refuted is None:
            found = site.engine.refuted(board, wrong, client_of(request), partial(has_gone, request))
            explain(site.store, opened, found or Refutation())
    return see(_here(number, flip))


@router.post("/solve/{number}/free")
def play_freely(
    request: Request,
    number: Number,
    fen: Annotated[str, Form(max_length=100, description="A position, as FEN.")],
    move: Annotated[str, Form(max_length=5, description="A move in it, in UCI.")],
) -> Response:
    """Play any move after the puzzle is done. The engine answers it, and says what it thinks."""
    site = site_of(request)
    if not _round(request, number).is_done:
        raise InputError("pieces are moved freely after a puzzle is solved")
    board = parse_position(fen)
    moves = [parse_move(board, move)]
    after, best = board_after(board, moves), None
    if any(after.legal_moves):
        best = site.engine.answered(after, client_of(request), partial(has_gone, request))
    if best is not None:
        moves.append(best.move)
        after.push(best.move)
    legal = " ".join(each.uci() for each in after.legal_moves)
    said = freely_text(board, moves, best)
    return JSONResponse({"fen": after.fen(), "last": moves[-1].uci(), "legal": legal, "said": said})


@router.post("/solve/{number}/{action}")
def act(
    request: Request,
    number: Number,
    action: Annotated[Action, Path(description="What the button does.")],
    version: Version,
    given: Annotated[Grade, Form(alias="grade", description="How it went.")] = Grade.GOOD,
    then: Annotated[Then, Form(description="What comes after the grade.")] = Then.NEXT,
    flip: Annotated[bool, Form(description="Whether the board is seen from the other side.")] = False,
) -> Response:
    """Do what a button says."""
    site, opened = _opened(request, number, version)
    if opened is None or opened.solving is None:
        return see(_here(number, flip))
    if action is Action.GRADE and opened.is_done:
        wanted = 0
        if then is Then.ALIKE and opened.takes_more:
            wanted = ALIKE
        elif given is Grade.AGAIN and opened.wants_alike:
            wanted = 1
        following = _alike(site, opened, wanted)[0] if wanted else ()
        grade(site.store, opened, given, [hit.puzzle.id for hit in following])
    elif action is Action.SKIP and not opened.is_done:
        skip(site.store, opened)
    elif action is not Action.GRADE and not opened.is_done:
        opened.try_again()
        {Action.HINT: opened.hint, Action.SHOW: opened.show}[action]()
        save(site.store, opened)
    return see(_here(number, flip))


def _here(number: int, flip: bool, said: str = "") -> str:
    asked = {"flip": "1"} if flip else {}
    query = urlencode(asked | ({"said": said} if said else {}))
    return f"/solve/{number}{'?' if query else ''}{query}"


def _round(request: Request, number: int) -> OpenRound:
    try:
        return open_round(site_of(request).store, number)
    except InputError as error:
        raise HTTPException(404, public_message(error)) from error


def _opened(request: Request, number: int, version: int) -> tuple[Site, OpenRound | None]:
    """Return the round that a form is for, None if the round has gone on since, or its time is over."""
    site = site_of(request)
    opened = _round(request, number)
    is_late = opened.state.is_over(utc_now() - GRACE)
    return site, opened if opened.version == version and not is_late else None


def _alike(site: Site, opened: OpenRound, count: int = ALIKE) -> tuple[Sequence[PuzzleHit], str]:
    """Return puzzles like the one that is asked for, none of this round; or why there are none."""
    assert opened.entry is not None
    known = {item.puzzle_id for item in opened.state.items}
    return site.alike(PuzzleQuery.of(opened.entry.puzzle), count, opened.solver, known)
