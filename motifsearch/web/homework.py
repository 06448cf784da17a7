"""Who is there by a homework link, and what they may ask for: that student's homework, and nothing else."""

from __future__ import annotations

from contextlib import suppress
from http import HTTPStatus

from fastapi import HTTPException, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from chess_motif.errors import StoreError
from db.attempts import Round
from db.links import student_of
from db.sets import homework, set_entries
from db.store import Store

# The cookie that has the token of a link.
LINK = "homework"

# Where links begin, and where they lead to.
BY_LINK = "/for/"
HOMEWORK = "/homework"

# What is open as well: the routes of links, of the homework itself, and of the style sheet.
_OPEN = {"/for/{token}", HOMEWORK, "/homework/leave", "/static/{version}/{name}"}


def homework_of(request: Request) -> str | None:
    """Return by whose homework link somebody is there: None if by none, empty if it is not known whose."""
    student: str | None = getattr(request.state, "homework", None)
    return student


def find_homework(request: Request) -> None:
    """Find out by whose link a request comes, for `homework_of`: by none if that has ended."""
    store: Store = request.app.state.site.store
    # Who opens a link need have no token: what answers must say nothing of others.
    opens = "" if request.scope["path"].startswith(BY_LINK) else None
    request.state.homework = opens
    if token := request.cookies.get(LINK):
        request.state.homework = ""
        with suppress(StoreError), store.reading() as session:
            request.state.homework = student_of(session, token) or opens


async def only_homework(request: Request) -> None:
    """Send who is there by a link to the homework, whatever else was asked for. Raises `HTTPException`."""
    student, route = homework_of(request), request.scope["route"].path
    if student is None or route in _OPEN:
        return
    form = await request.form()
    if not await run_in_threadpool(_is_homework, request, student, route, form):
        if request.method == "GET":
            raise HTTPException(HTTPStatus.SEE_OTHER, headers={"Location": HOMEWORK})
        raise HTTPException(HTTPStatus.FORBIDDEN, "that is not part of the homework")


def _is_homework(request: Request, student: str, route: str, form: FormData) -> bool:
    """Return whether what is asked for is a set of the student, its puzzles, or her own round with some."""
    store: Store = request.app.state.site.store
    with store.reading() as session:
        sets = {each.name for each in homework(session, student)}
        puzzles = {entry.puzzle.id for name in sets for entry in set_entries(session, name)}
        if route == "/sets":
            return request.method == "GET" and request.query_params.get("name") in sets
        if route in ("/rounds", "/cycles") and form.keys() == {"set"}:
            return sets.issuperset(form.getlist("set"))
        if route == "/rounds" and form.keys() == {"id"}:
            return puzzles.issuperset(form.getlist("id"))
        number = request.path_params.get("number", "")
        if route.startswith("/solve/{number}") and number.isdecimal() and len(number) < 10:
            stored = session.get(Round, int(number))
            items = stored.state["items"] if stored and stored.solver == student else []
            return any(item["puzzle_id"] in puzzles for item in items)
    return False
