"""What all screens share: the store, the search, an engine, who is solving, and how a page is made."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio.from_thread
from fastapi import Request
from fastapi.encoders import jsonable_encoder
from sqlalchemy.orm import Session
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from chess_motif.errors import IndexUnavailableError, InputError, StoreError
from chess_motif.pages import render
from db.changes import last_change
from db.openings import openings_of
from db.puzzles import PuzzleFilter, all_sources, count_puzzles
from db.store import Store
from engines.options import EngineChoice
from motifsearch.positions.searcher import PositionSearcher
from motifsearch.puzzles.searcher import PuzzleHit, PuzzleSearcher
from motifsearch.search import PuzzleQuery, SearchRequest, is_fen
from motifsearch.trainer.rating import keep_ratings
from motifsearch.web.analyses import Analyses
from motifsearch.web.assets import ADDRESS
from motifsearch.web.connection import STOPPING
from motifsearch.web.homework import homework_of
from motifsearch.web.indexes import Opening
from motifsearch.web.problems import public_message
from motifsearch.web.shared_engine import SharedEngine
from motifsearch.web.student import name_of, student_of, students

# The largest number of a row.
LARGEST_NUMBER = 2**31 - 1

# Seconds that a request waits for others that write.
PATIENCE = 5

# Numbers of puzzles that are remembered, one for each combination of filters.
COUNTS = 1_000

# The most puzzles that are counted: in the whole database of Lichess, counting all takes seconds.
MOST_COUNTED = 100_000


@dataclass(frozen=True)
class PageSettings:
    """What the page is started with: the database, the folder of its indexes, and the engine."""

    db: str | None = None
    index: Path | None = None
    engine: EngineChoice = None


class Site:
    """What stays open while the page is served. Close it."""

    def __init__(self, settings: PageSettings) -> None:
        """Open the database. Raises `StoreError`."""
        self.store = Store(settings.db, patience=PATIENCE)
        keep_ratings(self.store)
        self.settings = settings
        self.analyses = Analyses(self.store, settings)
        self._searcher = Opening(
            "puzzles",
            lambda progress: PuzzleSearcher(self.store, directory=settings.index, progress=progress),
        )
        self._positions = Opening(
            "positions", lambda progress: PositionSearcher(self.store, settings.index, progress)
        )
        # Before somebody waits for it.
        self._searcher.begin()
        self._counts: dict[tuple[int, PuzzleFilter], int] = {}
        self._sources: tuple[int, Sequence[str]] | None = None
        self._openings: tuple[int, Sequence[tuple[str, str]]] | None = None
        self.engine = SharedEngine(settings.engine)

    def close(self) -> None:
        """Close everything; an analysis saves its work and ends."""
        self.analyses.jobs.stop()
        self._searcher.close()
        self._positions.close()
        self.engine.close()
        self.store.close()

    def searcher(self) -> PuzzleSearcher:
        """Return the search for puzzles. Raises as `PuzzleSearcher` does, and `IndexBuildingError`."""
        return self._searcher.get()

    def positions(self) -> PositionSearcher:
        """Return the search for positions. Raises as `PositionSearcher` does, and `IndexBuildingError`."""
        return self._positions.get()

    def building(self) -> str:
        """Return how far indexes are that are being built; empty if there are none."""
        return " ".join(filter(None, [self._searcher.message, self._positions.message]))

    def count(self, session: Session, filters: PuzzleFilter) -> int:
        """Return how many puzzles pass filters on their own columns, at most `MOST_COUNTED`.

        They are counted again only after a change.
        """
        key = last_change(session), filters
        if key not in self._counts:
            if len(self._counts) == COUNTS:
                self._counts.clear()
            self._counts[key] = count_puzzles(session, filters, MOST_COUNTED)
        return self._counts[key]

    def sources(self, session: Session) -> Sequence[str]:
        """Return where the puzzles are from, by name; looked for again only after a change."""
        change = last_change(session)
        if self._sources is None or self._sources[0] != change:
            self._sources = change, sorted(all_sources(session))
        return self._sources[1]

    def alike(
        self, query: PuzzleQuery, count: int, student: str, left_out: Collection[str] = ()
    ) -> tuple[Sequence[PuzzleHit], str]:
        """Return the puzzles for a student to solve that are most like a query.

        None if they cannot be searched now, with the reason.
        """
        request = SearchRequest(query, k=count, student=student, to_solve=True, left_out=left_out)
        try:
            return self.searcher().similar(request), ""
        except (IndexUnavailableError, InputError) as error:
            return (), public_message(error)

    def asked(self, text: str, moves: str | None, request: Request) -> PuzzleQuery:
        """Return the query that the text of a request stands for, as `PuzzleSearcher.query` does.

        Raises `EngineBusyError` if the engine, which is asked for the solution of a position, is too busy.
        """
        if not is_fen(text) or moves:
            return self.searcher().query(text, moves)
        with self.engine.turn(client_of(request), partial(has_gone, request)):
            return self.searcher().query(text, None, self.settings.engine)

    def openings(self, session: Session) -> Sequence[tuple[str, str]]:
        """Return the most frequent openings, by value and words; looked for again only after a change."""
        change = last_change(session)
        if self._openings is None or self._openings[0] != change:
            self._openings = change, openings_of(session)
        return self._openings[1]

    def student(self, request: Request) -> str:
        """Return who is solving, see `student_of`."""
        return student_of(request)


def site_of(request: Request) -> Site:
    """Return the site that a request is for."""
    site: Site = request.app.state.site
    return site


def client_of(request: Request) -> str:
    """Return the address of who asks."""
    return request.client.host if request.client else ""


def has_gone(request: Request) -> bool:
    """Return whether nobody can wait for the answer any longer. Call it from the thread that answers."""
    if request.scope["state"][STOPPING].is_set():
        return True
    return anyio.from_thread.run(request.is_disconnected)


def page(
    request: Request, template: str, *, data: Callable[[], Any], status: int = 200, **values: Any
) -> Response:
    """Return the page that a template of this room makes of some values.

    A program that asks for JSON gets the `data` instead, which is made only then.
    """
    if wants_json(request):
        return JSONResponse(jsonable_encoder(data()), status)
    site = site_of(request)
    student, known = name_of(site.student(request)), list[str]()
    # An error is shown even so.
    with suppress(StoreError), site.store.reading() as session:
        known = students(session) if homework_of(request) is None else []
    shared = {
        "assets": ADDRESS,
        "students": sorted({*known, student} - {""}),
        "student": student,
        "homework": homework_of(request) is not None,
        "path": request.scope["path"],
        "building": site.building(),
    }
    name = f"motifsearch/web/templates/{template}"
    return HTMLResponse(render(name, **shared, **values), status)


def wants_json(request: Request) -> bool:
    """Return whether a program asks, and not a browser."""
    return request.state.as_json or "application/json" in request.headers.get("accept", "")


def see(path: str) -> Response:
    """Return the answer to a form that was sent: look there."""
    return RedirectResponse(path, status_code=303)
