"""Scripts, the icon and the style sheet, at addresses that change with them, so that browsers keep them."""

from __future__ import annotations

import hashlib
from http import HTTPStatus
from importlib.resources import files
from mimetypes import guess_type

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response

router = APIRouter()

_FOLDER = files("motifsearch.web").joinpath("static")
_SHEET = files("chess_motif.pages").joinpath("style.css")
ASSETS = {each.name: each.read_bytes() for each in [*_FOLDER.iterdir(), _SHEET]}
VERSION = hashlib.sha256(b"".join(ASSETS[name] for name in sorted(ASSETS))).hexdigest()[:12]

# Where the assets are now.
ADDRESS = f"/static/{VERSION}"

FOR_A_YEAR = {"Cache-Control": "public, max-age=31536000, immutable"}


@router.get("/static/{version}/{name}", include_in_schema=False)
def asset(version: str, name: str) -> Response:
    """Return a file; to a page of another version of the program as well, but not to be kept."""
    if name not in ASSETS:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    headers = FOR_A_YEAR if version == VERSION else None
    return Response(ASSETS[name], headers=headers, media_type=guess_type(name)[0])
