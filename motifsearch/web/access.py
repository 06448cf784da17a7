"""Who may ask: by which names, with which token, and from whose pages."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import quote, urlencode

from fastapi import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from motifsearch.web.homework import BY_LINK, homework_of
from motifsearch.web.site import see, wants_json

# The names by which the page is asked for where only this computer can reach it. A page of another name that
# was made to point here (DNS rebinding) is refused.
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

# What holds the token: a parameter of the first address, and from then on a cookie, or a header of programs.
TOKEN = "token"
BEARER = "Bearer"
NO_TOKEN = (
    "open the page by the link that 'motifsearch serve' printed, which has its token, "
    f"or send the header 'Authorization: {BEARER} TOKEN'"
)

# The largest request, in bytes: a file of games with the fields beside it.
LARGEST_REQUEST = 21_000_000

# Says that the page is there, to anybody.
HEALTH = "/healthz"

# What no name of a server has. Libraries have built addresses from names, and a path from "x/healthz?".
NOT_IN_NAMES = re.compile(r"[/?#@\\\s]")


@dataclass(frozen=True)
class Access:
    """Who may ask. `names` are those by which the page is asked for.

    With a `token` it may be asked for by any name, for whoever has the token has it from us. Homework links
    open without it.
    """

    names: Sequence[str] = LOOPBACK
    token: str | None = None

    def refused(self, request: Request) -> Response | None:
        """Return the answer to who may not ask, or must first be given a cookie; None to others."""
        if request.scope["path"] == HEALTH:
            if request.method in ("GET", "HEAD"):
                return PlainTextResponse("ok\n")
            allowed = {"Allow": "GET, HEAD"}
            return _refusal(request, HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD", allowed)
        headers = request.headers
        host, origin = headers.get("host", ""), headers.get("origin")
        changes = request.method not in ("GET", "HEAD")
        if NOT_IN_NAMES.search(host):
            return _refusal(request, HTTPStatus.BAD_REQUEST, "that is no name of a server")
        if self.token is None and _without_port(host) not in self.names:
            return _refusal(request, HTTPStatus.MISDIRECTED_REQUEST, "this server does not go by that name")
        if changes and origin is not None and origin.partition("://")[2] != host:
            return _refusal(request, HTTPStatus.FORBIDDEN, "a form of another site")
        if "transfer-encoding" in headers and "content-length" in headers:
            return _refusal(request, HTTPStatus.BAD_REQUEST, "the request says twice how long it is")
        if "transfer-encoding" in headers or (request.method == "POST" and "content-length" not in headers):
            return _refusal(request, HTTPStatus.LENGTH_REQUIRED, "the request does not say how long it is")
        if int(headers.get("content-length", 0)) > LARGEST_REQUEST:
            return _refusal(request, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the request is too large")
        if self.token is None or homework_of(request) or request.scope["path"].startswith(BY_LINK):
            return None
        if self._is_token(request.query_params.get(TOKEN)):
            return self._let_in(request)
        scheme, _, said = request.headers.get("authorization", "").partition(" ")
        if self._is_token(request.cookies.get(TOKEN)):
            return None
        if scheme.lower() == BEARER.lower() and self._is_token(said.strip()):
            return None
        return _refusal(request, HTTPStatus.UNAUTHORIZED, NO_TOKEN, {"WWW-Authenticate": BEARER})

    def _is_token(self, text: str | None) -> bool:
        return secrets.compare_digest((text or "").encode(), (self.token or "").encode())

    def _let_in(self, request: Request) -> Response:
        """Send to the same address without the token, with a cookie."""
        rest = [(name, value) for name, value in request.query_params.multi_items() if name != TOKEN]
        # With two slashes, it would be the address of another server.
        path = "/" + quote(request.scope["path"].lstrip("/"))
        answer = see(path + (f"?{urlencode(rest)}" if rest else ""))
        # Not "strict", with which a link in a message would not let in.
        answer.set_cookie(TOKEN, self.token or "", max_age=10**7, httponly=True, samesite="lax")
        return answer


def _without_port(host: str) -> str:
    name, _, port = host.rpartition(":")
    return name if port.isdigit() else host


def _refusal(
    request: Request, status: HTTPStatus, reason: str, headers: dict[str, str] | None = None
) -> Response:
    # What is left of the request is not read.
    headers = {"Connection": "close", **(headers or {})}
    if wants_json(request):
        return JSONResponse({"error": reason}, status, headers)
    return PlainTextResponse(f"{reason}\n", status, headers)
