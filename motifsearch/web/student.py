"""Who is solving on the page, and in which time zone: both are said by cookies."""

from __future__ import annotations

from urllib.parse import quote, unquote

from fastapi import Request
from starlette.responses import Response

from chess_motif.text import clean

# The cookie that says who is solving.
STUDENT = "student"

# The cookie that says in which time zone; the script of the page sets it.
ZONE = "zone"

# The longest name of a student.
LONGEST_NAME = 200


def chosen_student(request: Request) -> str:
    """Return who is solving as the cookie says; empty without one."""
    return clean(unquote(request.cookies.get(STUDENT, "")))[:LONGEST_NAME]


def choose(response: Response, student: str) -> Response:
    """Remember who is solving."""
    response.set_cookie(STUDENT, quote(student), max_age=10**8, httponly=True, samesite="strict")
    return response
