"""Sets of puzzles, `/sets`: making them of a selection, a set's own screen, its cycles, and its files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Form, HTTPException, Query, Request
from fastapi import Path as PathParameter
from sqlalchemy.orm import Session
from starlette.responses import Response

from chess_motif.errors import InputError
from chess_motif.text import clean_name, clock, counted
from db.selection import Selection, resolve_ids, select_puzzles
from db.sets import TrainingSet, delete_set, find_set, set_entries
from motifsearch.show.card import PuzzleCard
from motifsearch.trainer.coach import PuzzleResult, add_to_set, make_set, set_results
from motifsearch.trainer.cycles import Cycle, begin_cycle, cycles_of
from motifsearch.web.site import page, see, site_of
from puzzlegen.formats.exporting import ExportOptions, Format, write_puzzles

router = APIRouter()

# The most puzzles that are exported or put into a set at once.
MOST_SELECTED = 200

# What puzzles can be downloaded as.
Download = Literal[Format.PDF, Format.PGN, Format.APKG, Format.CSV]
_TYPES: dict[Download, str] = {
    Format.PDF: "application/pdf",
    Format.PGN: "application/x-chess-pgn",
    Format.APKG: "application/octet-stream",
    Format.CSV: "text/csv",
}


@dataclass(frozen=True)
class CycleRow:
    """A cycle as it is shown, and how much `faster` it was than the one before, in words."""

    number: int
    cycle: Cycle
    time: str
    faster: str


@dataclass(frozen=True)
class SetView:
    """The screen of a set as it is shown; `cycle` is what its button for cycles says."""

    name: str
    title: str
    says: str
    found: Sequence[PuzzleCard]
    cycles: Sequence[CycleRow]
    cycle: str

    def data(self) -> dict[str, object]:
        """Return what is answered as JSON."""
        return {
            "name": self.name,
            "says": self.says,
            "puzzles": [each.id for each in self.found],
            "results": {each.id: each.result for each in self.found if each.result},
            "cycles": [
                {"right": one.right, "done": one.done, "seconds": round(one.time.total_seconds())}
                for one in (row.cycle for row in self.cycles)
            ],
        }


def address_of(name: str, added: int = 0, known: int = 0, of_students: int = 0) -> str:
    """Return the address of the screen of a set, which says how many puzzles were added and left out."""
    counts = {"added": added, "known": known, "of_students": of_students}
    return f"/sets?{urlencode({'name': name} | {key: str(count) for key, count in counts.items() if count})}"


@router.get("/sets")
def show_set(
    request: Request,
    name: Annotated[str, Query(max_length=200, description="The name of the set.")],
    added: Annotated[int, Query(ge=0, description="How many puzzles were just added.")] = 0,
    known: Annotated[int, Query(ge=0, description="How many of the others were in it already.")] = 0,
    of_students: Annotated[int, Query(ge=0, description="How many are from games of other students.")] = 0,
) -> Response:
    """Show the puzzles of a set, without their solutions, and how its cycles went."""
    site = site_of(request)
    solver = site.student(request)
    with site.store.reading() as session:
        found = _set_named(session, name)
        puzzles = [entry.puzzle for entry in set_entries(session, found.name)]
        cycles = cycles_of(session, solver).get(found.name, [])
    # A coach sees what the student has done.
    student = found.solver or solver
    of_student = (each for each in set_results(site.store, found.name) if each.student == student)
    results = {one.puzzle.id: _said(one) for each in of_student for one in each.results}
    whom = f" for {found.solver}" if found.solver else ""
    says = f"{counted(len(puzzles), 'puzzle')}{whom}" + (f", {len(results)} solved" if results else "")
    view = SetView(
        found.name,
        found.title or found.name,
        says + _just_added(added, known, of_students),
        [PuzzleCard.to_solve(puzzle, results.get(puzzle.id, "")) for puzzle in puzzles],
        cycle_rows(cycles),
        next_cycle(cycles),
    )
    return page(request, "set.html", title=view.title, view=view, data=view.data)


def _set_named(session: Session, name: str) -> TrainingSet:
    found = find_set(session, name)
    if found is None:
        raise HTTPException(404, f"there is no set {name!r}")
    return found


def _just_added(added: int, known: int, of_students: int) -> str:
    """Return what became of the puzzles that were just to be added."""
    said = [f"{counted(added, 'puzzle')} added"] if added else []
    said += [f"{known} in the set before"] if known else []
    said += [f"{of_students} left out, from games of other students"] if of_students else []
    return f" · {', '.join(said)}" if said else ""


def _said(result: PuzzleResult) -> str:
    """Return what became of a puzzle, in a few words."""
    if result.right:
        return "≈ right with a hint" if result.hinted else "✓ right"
    return "✕ wrong, then right" if result.later else "✕ wrong"


def next_cycle(cycles: Sequence[Cycle]) -> str:
    """Return what the button says that begins a cycle or goes on with one."""
    is_open = bool(cycles) and not cycles[-1].is_finished
    return f"{'Go on with cycle' if is_open else 'Begin cycle'} {len(cycles) + (not is_open)}"


def cycle_rows(cycles: Sequence[Cycle]) -> list[CycleRow]:
    """Return cycles as they are shown, each beside the one before."""
    rows = []
    for number, each in enumerate(cycles, 1):
        saved = cycles[number - 2].time - each.time if number > 1 and each.is_finished else timedelta()
        word = "faster" if saved > timedelta() else "slower"
        rows.append(CycleRow(number, each, clock(each.time), f"{clock(abs(saved))} {word}" if saved else ""))
    return rows


@router.post("/sets")
def save_set(
    request: Request,
    id: Annotated[list[str], Form(max_length=MOST_SELECTED, description="The ids of puzzles.")],
    name: Annotated[str, Form(max_length=200, description="The name of the set.")],
    student: Annotated[str, Form(max_length=200, description="Whom a new set is for.")] = "",
) -> Response:
    """Add puzzles to a set, which is made for a student if it is new."""
    site, student = site_of(request), clean_name(student)
    with site.store.reading() as session:
        found = find_set(session, name)
        # Raises what keeps the puzzles from being added, before a set is made for them.
        resolve_ids(session, id)
    if found is None:
        make_set(site.store, name, student)
    elif student and found.solver not in (student, ""):
        raise InputError(f"the set {name!r} is for {found.solver}; a set for {student} needs another name")
    added = add_to_set(site.store, name, Selection(names=tuple(id)))
    return see(address_of(name, len(added.added), added.known, added.of_students))


@router.post("/sets/delete")
def remove_set(
    request: Request,
    name: Annotated[str, Form(max_length=200, description="The name of the set.")],
) -> Response:
    """Delete a set. Its puzzles, and the results of solving them, are kept."""
    with site_of(request).store.session() as session:
        delete_set(session, _set_named(session, name).name)
    return see("/")


@router.post("/cycles")
def cycle(
    request: Request,
    name: Annotated[str, Form(alias="set", max_length=200, description="The name of the set.")],
) -> Response:
    """Begin the next cycle of a set, or go on with the one that was begun."""
    site = site_of(request)
    return see(f"/solve/{begin_cycle(site.store, site.student(request), name)}")


@router.get("/export.{kind}")
def export(
    request: Request,
    kind: Annotated[Download, PathParameter(description="The format of the file.")],
    id: Annotated[list[str], Query(max_length=MOST_SELECTED, description="The ids of puzzles.")],
    name: Annotated[str, Query(max_length=200, description="The title of the file.")] = "",
) -> Response:
    """Return puzzles as a file."""
    site = site_of(request)
    with TemporaryDirectory() as folder, site.store.reading() as session:
        file = Path(folder) / f"puzzles.{kind.value}"
        options = ExportOptions(title=name or ExportOptions.title)
        write_puzzles(str(file), select_puzzles(session, Selection(names=tuple(id))), kind, options)
        content = file.read_bytes()
    # Browsers choose the second name, which may have any letters.
    own = re.sub(r"[^\w ()+-]", "-", name).strip() or "puzzles"
    disposition = f"attachment; filename=puzzles.{kind.value}; filename*=UTF-8''{quote(own)}.{kind.value}"
    return Response(content, media_type=_TYPES[kind], headers={"Content-Disposition": disposition})
