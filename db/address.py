"""Addresses of databases: parsing them, and printing them without their passwords."""

from __future__ import annotations

import os
import re

import platformdirs
from sqlalchemy import make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError

from chess_motif.errors import StoreError

URL_VARIABLE = "CHESS_MOTIF_DB"

# The kinds of database that rows can be inserted into.
BACKENDS = ("sqlite", "postgresql")

# Parameters of an address that are secret, in any case.
SECRETS = ("password", "sslpassword")

# Printed in place of a password.
HIDDEN = "***"

# A user with a password, in any text. The password may contain anything.
_USER_AND_PASSWORD = re.compile(r"^((?:[\w+]+:/{0,2}(?!/))?[^:/]*):.*@", re.DOTALL)
_SECRET_PARAMETER = re.compile(rf"((?:{'|'.join(SECRETS)})\s*=\s*)[^&\s]*", re.IGNORECASE)

# A URL with a second @ after the one that ends the password: the password has an @, and was cut off there.
_PASSWORD_CUT_OFF = re.compile(r"^[\w+]+://[^:/]*:[^@]*@([^?]*@|[^?]*\?[^=]*@)", re.DOTALL)

# A mistyped URL or connection parameters, which would otherwise name a SQLite file.
_MISTYPED = re.compile(rf"^(sqlite|postgres\w*)(\+\w+)?:|\b({'|'.join(SECRETS)})\s*=", re.IGNORECASE)


def default_url() -> str:
    """Return the URL in the environment, or the path of a SQLite file in the user's data directory."""
    return os.environ.get(URL_VARIABLE) or str(platformdirs.user_data_path("chess-motif") / "puzzles.db")


def parse_address(text: str) -> URL:
    """Return the URL of a SQLite or PostgreSQL database; a plain path names a SQLite file.

    Raises `StoreError`.
    """
    try:
        text.encode()
        if "://" not in text and _MISTYPED.search(text):
            raise ValueError(text)
        url = make_url(text) if "://" in text else URL.create("sqlite", database=text)
        if url.get_backend_name() not in BACKENDS:
            raise ValueError(url.drivername)
    except (ArgumentError, ValueError) as error:
        known = "sqlite:///FILE, postgresql://USER@HOST/NAME"
        shown = _hidden(text)
        raise StoreError(f"{shown}: not the URL of a SQLite or PostgreSQL database ({known})") from error
    if _PASSWORD_CUT_OFF.match(text):
        raise StoreError(f"{_hidden(text)}: an @ in a password must be written as %40")
    return url


def shown_address(address: str | URL) -> str:
    """Return an address with its password hidden, for printing. The address need not be valid."""
    if isinstance(address, str):
        try:
            url = parse_address(address)
        except StoreError:
            return _hidden(address)
        if "://" not in address:
            return address
    else:
        url = address
    if url.get_backend_name() == "sqlite" and url.database and not url.query:
        # In a URL, a path of Windows would be full of escapes.
        return url.database
    secret = [name for name in url.query if name.lower() in SECRETS]
    return url.difference_update_query(secret).render_as_string()


def _hidden(text: str) -> str:
    text = _SECRET_PARAMETER.sub(rf"\g<1>{HIDDEN}", text)
    return _USER_AND_PASSWORD.sub(rf"\g<1>:{HIDDEN}@", text)
