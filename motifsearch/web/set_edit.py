"""Changing a set, `/sets/edit`: its name, when it is due, its students, and its puzzles and their order."""

from __future__ import annotations

from datetime import date
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import Response

from db.attempts import due_dates
from db.links import link_of, new_link
from db.sets import (
    add_student,
    change_set,
    delete_set,
    just_removed,
    move_in_set,
    place_set,
    remove_student,
    set_entries,
    undo_removal,
)
from motifsearch.show.card import PuzzleCard
from motifsearch.web.links import link_address
from motifsearch.web.sets import address_of, set_named
from motifsearch.web.site import page, see, site_of

router = APIRouter()

Name = Annotated[str, Form(max_length=200, description="The name of the set.")]


def edit_address(name: str, at: str = "") -> str:
    """Return the address of the screen on which a set is changed, at a puzzle or a heading of it."""
    return f"/sets/edit?{urlencode({'name': name})}#{at}"


@router.get("/sets/edit")
def edit_set(
    request: Request, name: Annotated[str, Query(max_length=200, description="The name of the set.")]
) -> Response:
    """Show what can be changed of a set."""
    site = site_of(request)
    student = site.student(request)
    with site.store.reading() as session:
        found = set_named(session, name)
        puzzles = [entry.puzzle for entry in set_entries(session, found.name)]
        gone, tried = just_removed(session, found.name), due_dates(session, student)
    is_others = bool(found.students) and student not in found.students
    known = [*puzzles, *(puzzle for _, puzzle in gone)]
    view = {
        "set": found,
        "cards": [PuzzleCard.to_solve(puzzle) for puzzle in puzzles],
        "gone": [(place, PuzzleCard.to_solve(puzzle)) for place, puzzle in gone],
        # The motifs that are no secret.
        "told": [each.id for each in known if is_others or each.id in tried],
    }
    data = {"name": found.name, "due": found.due_on, "puzzles": [each.id for each in puzzles]}
    return page(request, "set-edit.html", title=found.name, view=view, data=lambda: data)


@router.post("/sets/rename")
def rename(
    request: Request,
    name: Name,
    new_name: Annotated[str, Form(max_length=200, description="Its new name.")],
    title: Annotated[str, Form(max_length=200, description="Its title when it is exported.")] = "",
    due: Annotated[date | None, Form(description="When it is due, such as 2026-12-04.")] = None,
) -> Response:
    """Change the name of a set, its title, and when it is due."""
    with site_of(request).store.session() as session:
        found = set_named(session, name)
        change_set(session, name, new_name, title=title, due_on=due)
    return see(address_of(found.name))


@router.post("/sets/order")
def order(
    request: Request,
    name: Name,
    id: Annotated[str, Form(max_length=8, description="The id of a puzzle.")],
    place: Annotated[int, Form(ge=0, le=10**6, description="Its new place, from 1; 0 takes it out.")],
) -> Response:
    """Move a puzzle to another place of a set, or take it out, which can be undone for ten minutes."""
    with site_of(request).store.session() as session:
        found = set_named(session, name).name
        if place:
            move_in_set(session, found, id, place)
            return see(edit_address(found, id))
        ids = [entry.puzzle.id for entry in set_entries(session, found)]
        place_set(session, found, [one for one in ids if one != id])
    return see(edit_address(found, "removed"))


@router.post("/sets/undo")
def undo(request: Request, name: Name) -> Response:
    """Put back what was last taken out of a set."""
    with site_of(request).store.session() as session:
        back = undo_removal(session, set_named(session, name).name)
    return see(edit_address(name, back[0]))


@router.post("/sets/students")
def change_students(
    request: Request,
    name: Name,
    student: Annotated[str, Form(max_length=200, description="A student.")],
    remove: Annotated[bool, Form(description="Whether the set is no longer for her.")] = False,
) -> Response:
    """Make a set one for a student, who gets a homework link, or no longer."""
    with site_of(request).store.session() as session:
        found = set_named(session, name).name
        if remove:
            remove_student(session, found, student)
            return see(edit_address(found, "students"))
        student = add_student(session, found, student)
        if link_of(session, student) is None:
            new_link(session, student)
    return see(link_address(student))


@router.post("/sets/delete")
def remove_set(request: Request, name: Name) -> Response:
    """Delete a set. Its puzzles, and the results of solving them, are kept."""
    with site_of(request).store.session() as session:
        delete_set(session, set_named(session, name).name)
    return see("/")
