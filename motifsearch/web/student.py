"""Who is solving on the page, and in which time zone: both are said by cookies.

A visitor who has not chosen a name is a guest. What a guest solves is kept under a name that only her cookie
has, and becomes that of the name that she chooses.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import partial
from typing import TypeVar
from urllib.parse import quote, unquote

from fastapi import Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from chess_motif.text import clean
from db.attempts import all_students, rename_student
from db.sets import students_of_sets
from motifsearch.web.homework import homework_of

R = TypeVar("R", bound=Response)

# The cookie that says who is solving.
STUDENT = "student"

# The cookie that says in which time zone; the script of the page sets it.
ZONE = "zone"

# The longest name of a student.
LONGEST_NAME = 200

# What the names of guests begin with. Alone, it is that of a visitor who has not solved anything.
GUEST = "guest-"


def student_of(request: Request) -> str:
    """Return who is solving: by a homework link or as the cookie says, or else the name of a guest."""
    by_cookie = clean(unquote(request.cookies.get(STUDENT, "")))[:LONGEST_NAME]
    return homework_of(request) or by_cookie or GUEST


def name_of(student: str) -> str:
    """Return the name that a student has chosen, empty for a guest."""
    return "" if student.startswith(GUEST) else student


def named(request: Request) -> tuple[str, Callable[[R], R]]:
    """Return who is solving, and what adds to an answer that a new guest is known again."""
    student = student_of(request)
    if student != GUEST:
        return student, lambda response: response
    guest = f"{GUEST}{secrets.token_hex(8)}"
    return guest, partial(choose, student=guest)


def choose(response: R, student: str) -> R:
    """Remember who is solving."""
    response.set_cookie(STUDENT, quote(student), max_age=10**8, httponly=True, samesite="strict")
    return response


def take_name(session: Session, student: str, name: str) -> None:
    """Give what a guest has solved to the name that she chooses, unless somebody has solved under it."""
    if student.startswith(GUEST) and student != GUEST and name not in all_students(session):
        rename_student(session, student, name)


def students(session: Session) -> list[str]:
    """Return everybody who has solved something or whom a set is for, by name."""
    return sorted(filter(name_of, {*all_students(session), *students_of_sets(session)}))
