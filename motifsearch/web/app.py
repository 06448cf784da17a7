"""The web application: its screens, who may ask, and what becomes of errors."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import PlainTextResponse, Response

from chess_motif import __version__
from chess_motif.errors import ChessMotifError, InputError, UnknownPuzzleError
from chess_motif.text import did_you_mean
from db.days import use_zone
from motifsearch.web import assets, games, positions, puzzle, reference, search, sets, solve, today, traffic
from motifsearch.web.access import HEALTH, Access
from motifsearch.web.shared_engine import EngineBusyError
from motifsearch.web.site import ZONE, Settings, Site, page, said_of, wants_json

# What a page may load: only what this server sends. Attributes of style place what is drawn.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

# What an address ends with that answers JSON.
JSON = ".json"

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    # Not "no-referrer", with which browsers do not say either where a form of our own comes from.
    "Referrer-Policy": "same-origin",
}


def make_app(settings: Settings | None = None, access: Access | None = None) -> FastAPI:
    """Return the application. By default it can be asked for on this computer only."""
    allowed = access or Access()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.site = Site(settings or Settings())
        yield
        app.state.site.close()

    app = FastAPI(
        title="chess-motif",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        dependencies=[Depends(_known_parameters)],
    )

    @app.middleware("http")
    async def guard(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
        began = time.perf_counter()
        path = request.url.path
        request.state.as_json = path.endswith(JSON) and path != app.openapi_url
        if request.state.as_json:
            request.scope["path"] = path.removesuffix(JSON)
        refused = allowed.refused(request)
        use_zone(request.cookies.get(ZONE, ""))
        # HEAD is answered as GET is; the server leaves out the content.
        method = request.method
        request.scope["method"] = "GET" if method == "HEAD" else method
        response = refused if refused is not None else await answer(request)
        request.scope["method"] = method
        response.headers.update(HEADERS)
        if request.state.as_json and (there := response.headers.get("location")):
            path, mark, query = there.partition("?")
            response.headers["location"] = f"{path}{JSON}{mark}{query}"
        app.state.traffic.add(request, response.status_code, time.perf_counter() - began)
        return response

    app.add_middleware(GZipMiddleware, compresslevel=5)
    app.state.traffic = traffic.Traffic()
    for screen in (today, solve, search, sets, positions, games, puzzle, traffic, reference, assets):
        app.include_router(screen.router)

    @app.get(HEALTH)
    def health() -> Response:
        """Say that the page is there."""
        return PlainTextResponse("ok\n")

    @app.exception_handler(ChessMotifError)
    def problem(request: Request, error: ChessMotifError) -> Response:
        is_missing = isinstance(error, UnknownPuzzleError)
        status = HTTPStatus.NOT_FOUND if is_missing else HTTPStatus.BAD_REQUEST
        if not isinstance(error, InputError):
            status = HTTPStatus.SERVICE_UNAVAILABLE
        return _problem(request, status, said_of(error))

    @app.exception_handler(EngineBusyError)
    def busy(request: Request, error: EngineBusyError) -> Response:
        wait = {"Retry-After": str(error.seconds)}
        return _problem(request, HTTPStatus.TOO_MANY_REQUESTS, str(error), wait)

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        status = HTTPStatus(error.status_code)
        is_unknown = status is HTTPStatus.NOT_FOUND and error.detail == status.phrase
        said = f"there is nothing at {request.url.path}" if is_unknown else str(error.detail)
        return _problem(request, status, said, error.headers)

    @app.exception_handler(RequestValidationError)
    def unreadable(request: Request, error: RequestValidationError) -> Response:
        said = "; ".join(_said_of_field(each) for each in error.errors())
        return _problem(request, HTTPStatus.UNPROCESSABLE_ENTITY, said)

    return app


def _known_parameters(request: Request) -> None:
    """Refuse a program's misspelt filter, which would otherwise find too much.

    Browsers may open links to which others have added something.
    """
    known = {field.alias for field in request.scope["route"].dependant.query_params}
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
