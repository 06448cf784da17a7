"""Sets of puzzles, `/sets`: making them of a selection, a set's own screen, its cycles, and its files.

A coach sees what all students made of a set; a student of the set sees her own part.
"""

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
from db.attempts import due_dates
from db.models import Puzzle
from db.selection import Selection, resolve_ids, select_puzzles
from db.sets import TrainingSet, all_sets, find_set, homework, set_entries
from motifsearch.show.card import PuzzleCard
from motifsearch.show.set_grid import GridRow, columns, grid, hardest, set_words, table
from motifsearch.trainer.coach import add_to_set, make_set, set_results
from motifsearch.trainer.cycles import Cycle, begin_cycle, cycles_of
from motifsearch.trainer.round_state import Result
from motifsearch.web.site import Site, page, see, site_of
from motifsearch.web.student import name_of, named
from puzzlegen.formats.exporting import ExportOptions, Format, write_puzzles

router = APIRouter()

# The most puzzles that are exported or put into a set at once.
MOST_SELECTED = 200

# What puzzles can be downloaded as.
Download = Literal[Format.PDF, Format.PGN, Format.APKG, Format.CSV]
_TYPES: dict[str, str] = {
    Format.PDF: "application/pdf",
    Format.PGN: "application/x-chess-pgn",
    Format.APKG: "application/octet-stream",
    Format.CSV: "text/csv",
}

SetName = Annotated[str, Query(alias="name", max_length=200, description="The name of the set.")]


@dataclass(frozen=True)
class CycleRow:
    """A cycle as it is shown, and how much `faster` it was than the one before, in words."""

    number: int
    cycle: Cycle
    time: str
    faster: str


@dataclass(frozen=True)
class SetView:
    """The screen of a set as it is shown; `cycle` is what its button for cycles says.

    `rows` has its students, or only the one who looks at it. `told` are the ids of the puzzles whose motif is
    no secret.
    """

    set: TrainingSet
    says: str
    cards: Sequence[PuzzleCard]
    rows: Sequence[GridRow]
    told: frozenset[str]
    cycles: Sequence[CycleRow]
    cycle: str

    @property
    def hardest(self) -> str:
        """Which puzzle was wrong most often."""
        return hardest(self.rows)

    @property
    def totals(self) -> list[tuple[int, int]]:
        """How often each puzzle was right at once, and how often it was tried."""
        return [(column.count(Result.RIGHT), len(column)) for column in columns(self.rows)]

    def data(self) -> dict[str, object]:
        """Return what is answered as JSON."""
        return {
            "name": self.set.name,
            "students": self.set.students,
            "due": self.set.due_on,
            "says": self.says,
            "puzzles": [each.id for each in self.cards],
            "results": {
                row.student: {cell.result.puzzle.id: cell.words for cell in row.tried} for row in self.rows
            },
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
    name: SetName = "",
    added: Annotated[int, Query(ge=0, description="How many puzzles were just added.")] = 0,
    known: Annotated[int, Query(ge=0, description="How many of the others were in it already.")] = 0,
    of_students: Annotated[int, Query(ge=0, description="How many are from games of other students.")] = 0,
) -> Response:
    """Show who has solved what of a set, or a student her own part; without a name, list all sets."""
    site = site_of(request)
    student = site.student(request)
    if not name:
        return _show_all(request, site, student)
    found, puzzles = _stored(site, name)
    with site.store.reading() as session:
        cycles = cycles_of(session, student).get(found.name, [])
        tried = due_dates(session, student)
    is_own = student in found.students
    rows = [row for row in _rows(site, found, puzzles) if not is_own or row.student == student]
    says = rows[0].words(found.due_on) if is_own else set_words(len(puzzles), found.students, found.due_on)
    # A set for anyone may be for whoever looks at it.
    is_for_others = bool(found.students) and not is_own
    view = SetView(
        found,
        says + _just_added(added, known, of_students),
        [PuzzleCard.to_solve(puzzle) for puzzle in puzzles],
        rows,
        frozenset(each.id for each in puzzles if is_for_others or each.id in tried),
        cycle_rows(cycles),
        next_cycle(cycles),
    )
    template = "set-own.html" if is_own else "set.html"
    return page(request, template, title=found.name, view=view, data=view.data)


def _rows(site: Site, found: TrainingSet, puzzles: Sequence[Puzzle]) -> list[GridRow]:
    """Return those whom a set is for; of a set for anyone, all with a name who have tried it."""
    results = [each for each in set_results(site.store, found.name) if name_of(each.student)]
    return grid(puzzles, found.students or [each.student for each in results], results)


def set_named(session: Session, name: str) -> TrainingSet:
    """Return the set of this name. Raises `HTTPException` if there is none."""
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
    elif student and found.students and student not in found.students:
        whom = " and ".join(found.students)
        raise InputError(f"the set {name!r} is for {whom}; add {student} to it, or take another name")
    added = add_to_set(site.store, name, Selection(names=tuple(id)))
    return see(address_of(name, len(added.added), added.known, added.of_students))


@router.post("/cycles")
def cycle(
    request: Request,
    name: Annotated[str, Form(alias="set", max_length=200, description="The name of the set.")],
) -> Response:
    """Begin the next cycle of a set, or go on with the one that was begun."""
    student, answer = named(request)
    return answer(see(f"/solve/{begin_cycle(site_of(request).store, student, name)}"))


@router.get("/export.{kind}")
def export(
    request: Request,
    kind: Annotated[Download, PathParameter(description="The format of the file.")],
    id: Annotated[list[str], Query(max_length=MOST_SELECTED, description="The ids of puzzles.")],
    name: Annotated[str, Query(max_length=200, description="The title of the file.")] = "",
) -> Response:
    """Return puzzles as a file."""
    with site_of(request).store.reading() as session:
        puzzles = list(select_puzzles(session, Selection(names=tuple(id))))
    return _as_file(puzzles, kind, ExportOptions(title=name or ExportOptions.title))


@router.get("/sets/export.{kind}")
def export_set(
    request: Request,
    kind: Annotated[Download, PathParameter(description="The format of the file.")],
    name: SetName,
) -> Response:
    """Return the puzzles of a set as a file."""
    found, puzzles = _stored(site_of(request), name)
    # Several students write their own names on the sheet.
    (student,) = found.students if len(found.students) == 1 else ("",)
    return _as_file(puzzles, kind, ExportOptions(title=found.title or found.name, solver=student))


@router.get("/sets/results.csv")
def export_results(request: Request, name: SetName) -> Response:
    """Return what each student made of each puzzle of a set as a table."""
    site = site_of(request)
    found, puzzles = _stored(site, name)
    # Excel takes a table for UTF-8 only if it begins so.
    content = table(_rows(site, found, puzzles)).encode("utf-8-sig")
    return _download(content, f"{found.name}, results", "csv")


def _show_all(request: Request, site: Site, student: str) -> Response:
    """List the sets of a student and those for anyone, or all sets for who has none."""
    with site.store.reading() as session:
        own = {each.name for each in homework(session, student)}
        sets = [each for each in all_sets(session) if not own or each.name in own or not each.students]
    rows = [(each.name, set_words(each.puzzles, each.students, each.due_on)) for each in sets]
    return page(request, "sets.html", title="Sets", rows=rows, data=lambda: sets)


def _stored(site: Site, name: str) -> tuple[TrainingSet, list[Puzzle]]:
    with site.store.reading() as session:
        found = set_named(session, name)
        return found, [entry.puzzle for entry in set_entries(session, found.name)]


def _as_file(puzzles: Sequence[Puzzle], kind: Download, options: ExportOptions) -> Response:
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"puzzles.{kind.value}"
        write_puzzles(str(file), puzzles, kind, options)
        return _download(file.read_bytes(), options.title, kind.value)


def _download(content: bytes, title: str, kind: str) -> Response:
    # Browsers choose the second name, which may have any letters.
    own = re.sub(r"[^\w ()+-]", "-", title).strip() or "puzzles"
    disposition = f"attachment; filename=puzzles.{kind}; filename*=UTF-8''{quote(own)}.{kind}"
    return Response(content, media_type=_TYPES[kind], headers={"Content-Disposition": disposition})
