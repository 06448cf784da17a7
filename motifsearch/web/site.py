"""What all screens share: the store, the search, an engine, who is solving, and how a page is made."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from fastapi import Request
from fastapi.encoders import jsonable_encoder
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from chess_motif.errors import ChessMotifError
from chess_motif.pages import render
from chess_motif.text import clean
from db.changes import last_change
from db.puzzles import PuzzleFilter, all_sources, count_puzzles
from db.store import Store
from db.training import all_sets
from engines.options import EngineChoice
from motifsearch.positions.searcher import PositionSearcher
from motifsearch.puzzles.query import PuzzleQuery, is_fen
from motifsearch.puzzles.searcher import PuzzleHit, PuzzleSearcher
from motifsearch.web.assets import ADDRESS
from motifsearch.web.jobs import Jobs
from motifsearch.web.shared_engine import SharedEngine

# The cookie that says who is solving.
STUDENT = "student"

# The cookie that says in which time zone; the script of the page sets it.
ZONE = "zone"

# The longest name of somebody who solves.
LONGEST_NAME = 200

# The largest number that a database can be asked for.
LARGEST_NUMBER = 2**63 - 1

# Numbers of puzzles that are remembered, one for each combination of filters.
COUNTS = 1_000


@dataclass(frozen=True)
class Settings:
    """What the page is started with: the database, the folder of its indexes, and the engine."""

    db: str | None = None
    index: Path | None = None
    engine: EngineChoice = None


class Site:
    """What stays open while the page is served. Close it."""

    def __init__(self, settings: Settings) -> None:
        """Open the database. Raises `StoreError`."""
        self.store = Store(settings.db)
        self.settings = settings
        self.jobs = Jobs()
        self._searcher: PuzzleSearcher | None = None
        self._positions: PositionSearcher | None = None
        self._opening = threading.Lock()
        self._counts: dict[tuple[int, PuzzleFilter], int] = {}
        self._sources: tuple[int, Sequence[str]] | None = None
        self.engine = SharedEngine(settings.engine)

    def close(self) -> None:
        """Close everything; an analysis saves its work and ends."""
        self.jobs.stop()
        if self._searcher is not None:
            self._searcher.close()
        if self._positions is not None:
            self._positions.close()
        self.engine.close()
        self.store.close()

    def searcher(self) -> PuzzleSearcher:
        """Return the search for puzzles, opened when it is first needed. Raises as `PuzzleSearcher` does."""
        with self._opening:
            if self._searcher is None:
                self._searcher = PuzzleSearcher(self.store, directory=self.settings.index)
            return self._searcher

    def positions(self) -> PositionSearcher:
        """Return the search for positions, opened when first needed. Raises as `PositionSearcher` does."""
        with self._opening:
            if self._positions is None:
                self._positions = PositionSearcher(self.store, self.settings.index)
            return self._positions

    def count(self, session: Session, filters: PuzzleFilter) -> int:
        """Return how many puzzles pass filters on their own columns; counted again only after a change."""
        key = last_change(session), filters
        if key not in self._counts:
            if len(self._counts) == COUNTS:
                self._counts.clear()
            self._counts[key] = count_puzzles(session, filters)
        return self._counts[key]

    def sources(self, session: Session) -> Sequence[str]:
        """Return where the puzzles are from, by name; looked for again only after a change."""
        change = last_change(session)
        if self._sources is None or self._sources[0] != change:
            self._sources = change, sorted(all_sources(session))
        return self._sources[1]

    def similar(self, puzzle: PuzzleQuery, count: int) -> Sequence[PuzzleHit]:
        """Return the puzzles most like a stored one; none if there is nothing to search."""
        with suppress(ChessMotifError):
            return self.searcher().similar(puzzle, k=count)
        return ()

    def asked(self, text: str, moves: str | None, client: str) -> PuzzleQuery:
        """Return the query that a text stands for, as `PuzzleSearcher.query` does.

        Raises `EngineBusyError` if the engine, which is asked for the solution of a position, is too busy.
        """
        if not is_fen(text) or moves:
            return self.searcher().query(text, moves)
        with self.engine.turn(client):
            return self.searcher().query(text, None, self.settings.engine)

    def students(self) -> list[str]:
        """Return everybody whom a set is for, by name."""
        with self.store.reading() as session:
            return sorted({each.student for each in all_sets(session)})

    def student(self, request: Request) -> str:
        """Return who is solving: as the cookie says, or else the first of all; empty if there is nobody."""
        return chosen_student(request) or next(iter(self.students()), "")


def chosen_student(request: Request) -> str:
    """Return who is solving as the cookie says; empty without one."""
    return clean(unquote(request.cookies.get(STUDENT, "")))[:LONGEST_NAME]


def site_of(request: Request) -> Site:
    """Return the site that a request is for."""
    site: Site = request.app.state.site
    return site


def client_of(request: Request) -> str:
    """Return the address of who asks."""
    return request.client.host if request.client else ""


def page(
    request: Request, template: str, *, data: Callable[[], Any], status: int = 200, **values: Any
) -> Response:
    """Return the page that a template of this room makes of some values.

    A program that asks for JSON gets the `data` instead, which is made only then.
    """
    if wants_json(request):
        return JSONResponse(jsonable_encoder(data()), status)
    site = site_of(request)
    students = site.students()
    student = chosen_student(request) or next(iter(students), "")
    shared = {
        "assets": ADDRESS,
        "students": sorted({*students, student} - {""}),
        "student": student,
        "path": request.url.path,
    }
    name = f"motifsearch/web/templates/{template}"
    response = HTMLResponse(render(name, **shared, **values), status)
    # Who solves stays the same when a set is made for somebody else.
    return response if STUDENT in request.cookies or not student else choose(response, student)


def wants_json(request: Request) -> bool:
    """Return whether a program asks, and not a browser."""
    return request.state.as_json or "application/json" in request.headers.get("accept", "")


def said_of(error: ChessMotifError) -> str:
    """Return what an error says, without the command that lists what there is: here it cannot be run."""
    return re.sub(r"; '[a-z ]+' shows them$", "", str(error))


def see(path: str) -> Response:
    """Return the answer to a form that was sent: look there."""
    return RedirectResponse(path, status_code=303)


def choose(response: Response, student: str) -> Response:
    """Remember who is solving."""
    response.set_cookie(STUDENT, quote(student), max_age=10**8, httponly=True, samesite="strict")
    return response
