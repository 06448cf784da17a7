"""The web application: its screens, who may ask, and what becomes of errors."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chess_motif import __version__
from chess_motif.errors import ChessMotifError, InputError, UnknownPuzzleError
from chess_motif.text import did_you_mean
from db.days import use_zone
from motifsearch.web import (
    assets,
    games,
    links,
    positions,
    practice,
    progress,
    puzzle,
    reference,
    search,
    set_edit,
    sets,
    solve,
    today,
    traffic,
)
from motifsearch.web.access import Access
from motifsearch.web.connection import STOPPING
from motifsearch.web.homework import BY_LINK, LINK, find_homework, homework_of, only_homework
from motifsearch.web.problems import public_message
from motifsearch.web.shared_engine import EngineBusyError
from motifsearch.web.site import PageSettings, Site, page, wants_json
from motifsearch.web.student import ZONE

# What a page may load: only what this server sends. Attributes of style place what is drawn.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

# What an address ends with that answers JSON, but for the one that describes the others.
JSON = ".json"
OPENAPI = "/openapi.json"

# When to come back where something is out of order, in seconds.
RETRY = {"Retry-After": "5"}

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    # Not "no-referrer", with which browsers do not say either where a form of our own comes from.
    "Referrer-Policy": "same-origin",
}


class Guard:
    """Lets in who may ask, gives every answer the headers, and counts it."""

    def __init__(self, app: ASGIApp, access: Access, counted: traffic.Traffic) -> None:
        """Stand before an application."""
        self._app, self._access, self._traffic = app, access, counted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        # Not that of `Request.url`, which has been built from the name of the server, too.
        path, method = scope["path"], scope["method"]
        as_json = path.endswith(JSON)
        # HEAD is answered as GET is; the server leaves out the content.
        inner = {
            **scope,
            "path": path if path == OPENAPI else path.removesuffix(JSON),
            "method": "GET" if method == "HEAD" else method,
        }
        request = Request(inner)
        request.state.as_json = as_json
        use_zone(request.cookies.get(ZONE, ""))

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                if as_json and (there := headers.get("location")):
                    place, mark, query = there.partition("?")
                    headers["location"] = f"{place}{JSON}{mark}{query}"
                self._traffic.add(request, scope, message["status"], time.perf_counter() - began)
            await send(message)

        await (await self._refused(request) or self._app)(inner, receive, answer)

    async def _refused(self, request: Request) -> Response | None:
        """Return the answer to who may not ask."""
        if LINK in request.cookies or request.scope["path"].startswith(BY_LINK):
            await run_in_threadpool(find_homework, request)
        if homework_of(request) is not None and request.scope["path"] == OPENAPI:
            return PlainTextResponse("that is not part of the homework\n", 403)
        return self._access.refused(request)


def make_app(settings: PageSettings | None = None, access: Access | None = None) -> FastAPI:
    """Return the application. By default it can be asked for on this computer only."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        app.state.site = Site(settings or PageSettings())
        yield {STOPPING: threading.Event()}
        app.state.site.close()

    app = FastAPI(
        title="chess-motif",
        version=__version__,
        lifespan=lifespan,
        openapi_url=OPENAPI,
        docs_url=None,
        redoc_url=None,
        dependencies=[Depends(only_homework), Depends(_known_parameters)],
    )

    app.state.traffic = traffic.Traffic()
    app.add_middleware(Guard, access=access or Access(), counted=app.state.traffic)
    app.add_middleware(GZipMiddleware, compresslevel=5)
    screens = (today, practice, progress, solve, search, links, sets, set_edit, positions, games, puzzle)
    for screen in (*screens, traffic, reference, assets):
        app.include_router(screen.router)

    @app.exception_handler(InputError)
    def not_usable(request: Request, error: InputError) -> Response:
        is_missing = isinstance(error, UnknownPuzzleError)
        status = HTTPStatus.NOT_FOUND if is_missing else HTTPStatus.BAD_REQUEST
        return _problem(request, status, public_message(error))

    @app.exception_handler(ChessMotifError)
    @app.exception_handler(OSError)
    def out_of_order(request: Request, error: Exception) -> Response:
        return _problem(request, HTTPStatus.SERVICE_UNAVAILABLE, public_message(error), RETRY)

    @app.exception_handler(EngineBusyError)
    def busy(request: Request, error: EngineBusyError) -> Response:
        wait = {"Retry-After": str(error.seconds)}
        return _problem(request, HTTPStatus.TOO_MANY_REQUESTS, str(error), wait)

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        if isinstance(error.__cause__, OSError):
            # What was sent cannot be kept.
            return out_of_order(request, error.__cause__)
        status = HTTPStatus(error.status_code)
        is_unknown = status is HTTPStatus.NOT_FOUND and error.detail == status.phrase
        said = f"there is nothing at {request.scope['path']}" if is_unknown else str(error.detail)
        return _problem(request, status, said, error.headers)

    @app.exception_handler(RequestValidationError)
    def unreadable(request: Request, error: RequestValidationError) -> Response:
        said = "; ".join(_said_of_field(each) for each in error.errors())
        is_path = any(each["loc"][0] == "path" for each in error.errors())
        return _problem(request, HTTPStatus.NOT_FOUND if is_path else HTTPStatus.UNPROCESSABLE_ENTITY, said)

    return app


def _known_parameters(request: Request) -> None:
    """Refuse a program's misspelt filter, which would otherwise find too much.

    Browsers may open links to which others have added something.
    """
    operations = request.app.openapi()["paths"].get(request.scope["route"].path, {})
    described = operations.get(request.method.lower(), {}).get("parameters", ())
    known = {each["name"] for each in described if each["in"] == "query"}
    for name in request.query_params if wants_json(request) else ():
        if name not in known:
            raise InputError(f"there is no parameter {name!r}{did_you_mean(name, known)}")


def _said_of_field(error: Mapping[str, Any]) -> str:
    """Return what is wrong with a field of a request, without the patterns by which it is checked."""
    field, text = error["loc"][-1], str(error["input"])
    if error["type"] in ("string_pattern_mismatch", "int_parsing"):
        return f"{field}: {text!r:.60} cannot be used"
    return f"{field}: {error['msg']}"


def _problem(
    request: Request, status: HTTPStatus, message: str, headers: Mapping[str, str] | None = None
) -> Response:
    answer = page(
        request,
        "problem.html",
        status=status,
        title="Not found" if status is HTTPStatus.NOT_FOUND else "That did not work",
        message=message,
        data=lambda: {"error": message},
    )
    answer.headers.update(headers or {})
    return answer
