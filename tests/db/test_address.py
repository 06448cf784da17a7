"""Addresses of databases: what is refused, and what is hidden of each in print."""

from __future__ import annotations

from pathlib import PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.engine import URL

from chess_motif.errors import StoreError
from db.address import URL_VARIABLE, default_url, parse_address, shown_address


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://me:secret@host/db", "postgresql://me:***@host/db"),
        ("postgresql+psycopg://me:se/cr:et@host:5432/db", "postgresql+psycopg://me:***@host:5432/db"),
        ("postgresql://me@host/db?password=secret", "postgresql://me@host/db"),
        ("postgresql://me@host/db?PASSWORD=secret", "postgresql://me@host/db"),
        ("postgresql://host/db?sslmode=require&sslpassword=secret", "postgresql://host/db?sslmode=require"),
        (
            "postgresql://me:secret@host/db?application_name=a@b",
            "postgresql://me:***@host/db?application_name=a%40b",
        ),
        ("postgresql://me:sec@ret@host/db", "postgresql://me:***@host/db"),
        ("postgresql://me:sec@re/t@host/db", "postgresql://me:***@host/db"),
        ("postgresql://me:sec@re?t@host/db", "postgresql://me:***@host/db"),
        ("postgresql://me:secret@host:port/db", "postgresql://me:***@host:port/db"),
        ("mysql://me:secret@host/db", "mysql://me:***@host/db"),
        ("postgresql:/me:secret@host/db", "postgresql:/me:***@host/db"),
        ("postgresql:me:secret@host/db", "postgresql:me:***@host/db"),
        ("host=h password=secret dbname=db", "host=h password=*** dbname=db"),
        ("puzzles.db", "puzzles.db"),
        ("sqlite:////home/a-b/c@d.db", "/home/a-b/c@d.db"),
        ("/home/a:b/c@d.db", "/home/a:b/c@d.db"),
    ],
)
def test_a_password_is_hidden_and_nothing_else(address: str, shown: str) -> None:
    assert shown_address(address) == shown


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_a_password_that_is_written_as_it_should_be_reaches_the_server(password: str) -> None:
    url = URL.create("postgresql+psycopg", "me", password, "host", 5432, "db")
    assert parse_address(url.render_as_string(hide_password=False)).password == password


@given(st.text(st.characters(exclude_characters="*", codec="ascii"), min_size=1), st.sampled_from(["", "ql"]))
def test_no_end_of_a_password_is_shown(middle: str, ending: str) -> None:
    shown = shown_address(f"postgres{ending}://me:FIRST{middle}LAST@host/db")
    assert not any(part in shown for part in ("FIRST", "LAST"))


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:sec@ret@host/db",
        "postgresql://me:sec@re/t@host/db",
        "postgresql://me:sec@re?t@host/db",
    ],
)
def test_an_at_sign_in_a_password_is_explained(address: str) -> None:
    with pytest.raises(StoreError, match="%40") as caught:
        parse_address(address)
    assert "ret" not in str(caught.value)


@pytest.mark.parametrize(
    "address", ["postgresql:/me@host/db", "postgres:me@host/db", "host=h password=x dbname=db", "sqlite:x.db"]
)
def test_what_is_meant_as_a_server_is_no_file(address: str) -> None:
    with pytest.raises(StoreError, match="not the URL of a SQLite or PostgreSQL database"):
        parse_address(address)


@pytest.mark.parametrize(
    "file", ["puzzles.db", "postgres/puzzles.db", "sqlite.db", "me@home:2024.db", "100%25.db", "a?b.db"]
)
def test_a_plain_path_is_a_file(file: str) -> None:
    assert parse_address(file).database == file


def test_the_default_on_windows_is_a_path_and_shown_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = PureWindowsPath(r"C:\Users\Jörg K 100%41\AppData\Local\chess-motif")
    monkeypatch.setattr("platformdirs.user_data_path", lambda _: folder)
    monkeypatch.delenv(URL_VARIABLE, raising=False)
    url = parse_address(default_url())
    assert (url.database, shown_address(url)) == (str(folder / "puzzles.db"), str(folder / "puzzles.db"))
