"""Homework: a student's link as the coach sees it, and the homework that it opens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, HTTPException, Path, Query, Request
from starlette.responses import Response

from db.links import link_of, new_link, student_of
from db.sets import homework, set_entries
from motifsearch.show.set_grid import grid
from motifsearch.trainer.coach import set_results
from motifsearch.web.access import LOOPBACK
from motifsearch.web.homework import BY_LINK, HOMEWORK, LINK, homework_of
from motifsearch.web.site import Site, page, see, site_of

router = APIRouter()

Student = Annotated[str, Query(max_length=200, description="The student.")]


def link_address(student: str) -> str:
    """Return the address of the screen that shows the homework link of a student."""
    return f"/sets/link?{urlencode({'student': student})}"


@router.get("/sets/link")
def show_link(request: Request, student: Student) -> Response:
    """Show the homework link of a student, and what is done of her homework."""
    site = site_of(request)
    with site.store.reading() as session:
        token = link_of(session, student)
    link = f"{str(request.base_url).rstrip('/')}{BY_LINK}{token}" if token else ""
    rows = homework_rows(site, student)
    return page(
        request,
        "set-student.html",
        title="Homework link",
        whose=student,
        link=link,
        is_reached=request.url.hostname not in LOOPBACK,
        rows=rows,
        data=lambda: {"student": student, "link": link, "sets": dict(rows)},
    )


@router.post("/sets/link")
def make_link(
    request: Request, student: Annotated[str, Form(max_length=200, description="The student.")]
) -> Response:
    """Make a homework link for a student, which ends the one before."""
    with site_of(request).store.session() as session:
        new_link(session, student)
    return see(link_address(student))


@router.get("/for/{token}")
def open_link(request: Request, token: Annotated[str, Path(description="What nobody guesses.")]) -> Response:
    """Open the homework of a student."""
    with site_of(request).store.reading() as session:
        if student_of(session, token) is None:
            raise HTTPException(404, "this homework link has ended; ask for the new one")
    answer = see(HOMEWORK)
    # Not "strict", with which a link in a message would not let in.
    answer.set_cookie(LINK, token, max_age=10**7, httponly=True, samesite="lax")
    return answer


@router.get(HOMEWORK)
def show_homework(request: Request) -> Response:
    """Show who is there by a link what is to be solved."""
    student = homework_of(request)
    if student is None:
        return see("/")
    if not student:
        raise HTTPException(503, "the homework cannot be opened now")
    rows = homework_rows(site_of(request), student)
    return page(request, "set-homework.html", title="Homework", rows=rows, data=lambda: dict(rows))


@router.post("/homework/leave")
def leave() -> Response:
    """Forget the link, so that the page opens as before."""
    answer = see("/")
    answer.delete_cookie(LINK)
    return answer


def homework_rows(site: Site, student: str) -> Sequence[tuple[str, str]]:
    """Return the name of each set of a student's homework, and how much of it is done."""
    rows = []
    with site.store.reading() as session:
        sets = [(each, set_entries(session, each.name)) for each in homework(session, student)]
    for each, entries in sets:
        puzzles = [entry.puzzle for entry in entries]
        (row,) = grid(puzzles, [student], set_results(site.store, each.name))
        rows.append((each.name, row.words(each.due_on)))
    return rows
