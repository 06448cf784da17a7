"""Scripts, the icon and the style sheet, at addresses that change with them, so that browsers keep them."""

from __future__ import annotations

import hashlib
import re
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response

router = APIRouter()

_FOLDER = files("motifsearch.web").joinpath("static")
_SHEET = files("chess_motif.pages").joinpath("style.css")
_FILES = {each.name: each.read_bytes() for each in [*_FOLDER.iterdir(), _SHEET]}
# Comments and indentation are a sixth of what is sent.
_UNSENT = re.compile(rb"(?m)^\s*(?:/\*(?s:.*?)\*/|//.*)?\s*")
ASSETS = {
    name: content if name.endswith(".svg") else _UNSENT.sub(b"", content) for name, content in _FILES.items()
}
VERSION = hashlib.sha256(b"".join(ASSETS[name] for name in sorted(ASSETS))).hexdigest()[:12]

# Not as the system has them: in Windows' registry, scripts may be plain text, which browsers do not run.
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

# Where the assets are now.
ADDRESS = f"/static/{VERSION}"

FOR_A_YEAR = {"Cache-Control": "public, max-age=31536000, immutable"}


@router.get("/static/{version}/{name}", include_in_schema=False)
def asset(version: str, name: str) -> Response:
    """Return a file; to a page of another version of the program as well, but not to be kept."""
    if name not in ASSETS:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    headers = FOR_A_YEAR if version == VERSION else None
    return Response(ASSETS[name], headers=headers, media_type=_TYPES[Path(name).suffix])
