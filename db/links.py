"""Homework links: each opens one student's sets, without a name or a password, until it ends.

A student goes in, and the token of her link comes out; or the token, and whose it is. Times are UTC.
"""

from __future__ import annotations

import secrets
from datetime import datetime

from sqlalchemy import Integer, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from db.models import Base, utc_now

# Bytes of a token: nobody guesses it.
TOKEN_BYTES = 16


class Link(Base, kw_only=True):
    """A link to the homework of `student`, which has the `token`. `ended` is None as long as it opens."""

    __tablename__ = "links"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, init=False)
    student: Mapped[str]
    token: Mapped[str] = mapped_column(unique=True)
    created: Mapped[datetime] = mapped_column(default_factory=utc_now)
    ended: Mapped[datetime | None] = mapped_column(default=None)


def link_of(session: Session, student: str) -> str | None:
    """Return the token of the link of a student, None if there is none."""
    return session.scalar(select(Link.token).where(Link.student == student, Link.ended.is_(None)).limit(1))


def new_link(session: Session, student: str) -> str:
    """Make a link for a student, which ends the one before; return its token."""
    before = (Link.student == student) & Link.ended.is_(None)
    session.execute(update(Link).where(before).values(ended=utc_now()))
    token = secrets.token_urlsafe(TOKEN_BYTES)
    session.add(Link(student=student, token=token))
    return token


def student_of(session: Session, token: str) -> str | None:
    """Return whose link has a token, None if none has it or it has ended."""
    # Not found by the database, whose answer comes the later the more of a token is right.
    links = session.execute(select(Link.token, Link.student).where(Link.ended.is_(None)))
    given = token.encode(errors="replace")
    return next((who for known, who in links if secrets.compare_digest(known.encode(), given)), None)
