"""What a homework link opens, and that it opens nothing else."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator

import pytest
from httpx2 import Client
from sqlalchemy import text

import db.puzzles as stored
from db.links import new_link
from db.sets import create_set, extend_set, set_entries
from db.store import Store
from motifsearch.trainer.rounds import begin
from tests.helpers.rows import puzzle_row
from tests.motifsearch.web.conftest import BACK_RANK, STUDENT, TOKEN, add_puzzles

HOME = "/homework"


@pytest.fixture
def client(sqlite_store: Store, address: str) -> Iterator[Client]:
    """A client of a page with a set for a student, and another one."""
    add_puzzles(sqlite_store, BACK_RANK)
    with sqlite_store.session() as session:
        create_set(session, "Bens", "Ben")
        create_set(session, "Anyones")
    with Client(base_url=address, timeout=60) as opened:
        yield opened


def link(store: Store, student: str = STUDENT) -> str:
    with store.session() as session:
        return f"/for/{new_link(session, student)}"


@pytest.fixture
def homework(client: Client, sqlite_store: Store) -> Client:
    """A client that has opened the student's link."""
    opened = client.get(link(sqlite_store), follow_redirects=True)
    assert (opened.url.path, opened.status_code) == (HOME, 200)
    return client


def test_a_link_opens_the_homework_without_a_name(homework: Client) -> None:
    said = homework.get(HOME).text
    assert f"Homework for {STUDENT}" in said
    assert "0 of 1" in said
    assert "Solve" in homework.get("/sets", params={"name": "Lesson"}).text


def test_a_link_opens_where_a_token_is_needed(guarded: Client, sqlite_store: Store) -> None:
    assert guarded.get(HOME).status_code == 401
    assert guarded.get(link(sqlite_store)).headers["Set-Cookie"].count("HttpOnly") == 1
    assert guarded.get(HOME).status_code == 200
    assert guarded.get("/").headers["Location"] == HOME


@pytest.mark.parametrize("path", ["/for/nothing", "/for/", "/for/a/b", "/for/nothing.json"])
def test_a_link_that_is_none_opens_nothing(guarded: Client, path: str) -> None:
    said = guarded.get(path)
    assert said.status_code == 404
    assert re.search(f"{STUDENT}|/search", said.text + str(said.headers)) is None


def test_nothing_is_said_of_other_students_and_sets(homework: Client) -> None:
    pages = [homework.get(path).text for path in (HOME, "/sets?name=Lesson", "/nothing")]
    assert not any(re.search("Ben|Anyones|/search|/games", page) for page in pages)


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/",
            "/search",
            "/games",
            "/positions",
            "/puzzles/backrank",
            "/metrics",
            "/docs",
            "/export.pgn?id=x",
        ),
        *(
            "/sets?name=Bens",
            "/sets?name=Anyones",
            "/sets",
            "/sets/edit?name=Lesson",
            "/sets/link?student=Ben",
        ),
        *("/sets/export.pgn?name=Lesson", "/sets/results.csv?name=Lesson", "/solve/999999", "/solve/x"),
        *("/search.json", "/sets.json?name=Bens"),
    ],
)
def test_every_other_address_leads_to_the_homework(homework: Client, path: str) -> None:
    answer = homework.get(path)
    there = f"{HOME}.json" if ".json" in path else HOME
    assert (answer.status_code, answer.headers["Location"]) == (303, there)


def test_the_description_of_the_addresses_is_not_homework(homework: Client) -> None:
    assert homework.get("/openapi.json").status_code == 403


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/student", {"name": "Ben"}),
        ("/rounds", {}),
        ("/rounds", {"only": "new"}),
        ("/rounds", {"motif": "fork"}),
        ("/rounds", {"set": "Bens"}),
        ("/rounds", {"set": ["Lesson", "Bens"]}),
        ("/rounds", {"id": "hanging1"}),
        ("/rounds", {"id": ["backrank", "hanging1"]}),
        ("/rounds", {"id": "backrank", "motif": "fork"}),
        ("/cycles", {"set": "Anyones"}),
        ("/sets", {"name": "Lesson", "id": "backrank"}),
        ("/sets/rename", {"name": "Lesson", "new_name": "x"}),
        ("/sets/students", {"name": "Lesson", "student": "x"}),
        ("/sets/link", {"student": STUDENT}),
        ("/sets/delete", {"name": "Lesson"}),
    ],
)
def test_nothing_else_is_done(homework: Client, path: str, form: dict[str, object]) -> None:
    assert homework.post(path, data=form).status_code == 403


@pytest.mark.parametrize("form", [{"set": "Lesson"}, {"id": "backrank"}])
def test_homework_is_solved_as_the_student(homework: Client, form: dict[str, str]) -> None:
    # A program's cookie of another name changes nothing.
    homework.cookies.set("student", "Ben")
    there = homework.post("/rounds", data=form).headers["Location"]
    version = {"version": "0"}
    for action, values in (
        ("move", {"move": "Qe8+"}),
        ("move", {"move": "Rxe8#"}),
        ("grade", {"grade": "good"}),
    ):
        page = homework.get(there).text
        found = re.search(r'name="version" value="(\d+)"', page)
        version = {"version": found[1]} if found else version
        assert homework.post(f"{there}/{action}", data=version | values).status_code == 303
    assert "1 of 1, 1 right at once" in homework.get(HOME).text


def test_the_round_of_another_student_is_not_homework(homework: Client, sqlite_store: Store) -> None:
    with sqlite_store.reading() as session:
        entries = set_entries(session, "Lesson")
    number = begin(sqlite_store, "Ben", "", entries)
    assert homework.get(f"/solve/{number}").status_code == 303
    assert homework.post(f"/solve/{number}/hint", data={"version": "0"}).status_code == 403


def test_a_round_of_other_puzzles_is_not_homework(homework: Client, sqlite_store: Store) -> None:
    with sqlite_store.session() as session:
        stored.add_puzzles(session, [puzzle_row("hanging1")])
        extend_set(session, "Bens", "Ben", [("hanging1", None)])
    with sqlite_store.reading() as session:
        number = begin(sqlite_store, STUDENT, "", set_entries(session, "Bens"))
    assert homework.get(f"/solve/{number}").status_code == 303


def test_a_new_link_ends_the_old_one(homework: Client, sqlite_store: Store) -> None:
    other = Client(base_url=homework.base_url, timeout=60)
    assert other.post("/sets/link", data={"student": STUDENT}).status_code == 303
    other.close()
    assert homework.get(HOME).headers["Location"] == "/"


def test_who_leaves_sees_the_page_as_before(homework: Client) -> None:
    assert homework.post("/homework/leave").status_code == 303
    assert homework.get("/search").status_code == 200


@pytest.mark.parametrize("path", ["/for/{}", "/FOR/{}", "/a//for/{}", "/for/{}.json?a=b", "/for%2f{}"])
def test_a_link_is_not_logged(client: Client, caplog: pytest.LogCaptureFixture, path: str) -> None:
    caplog.set_level(logging.DEBUG)
    client.get(path.format(TOKEN))
    logged = [record for record in caplog.records if not record.name.startswith("http")]
    said = " ".join(f"{record.getMessage()} {record.__dict__.get('fields')}" for record in logged)
    assert "'method': 'GET'" in said
    assert TOKEN not in said


def test_who_is_there_by_a_link_sees_nothing_while_it_is_not_known_whose(
    homework: Client, sqlite_store: Store
) -> None:
    with sqlite_store.session() as session:
        session.execute(text("ALTER TABLE links RENAME TO chains"))
    assert homework.get("/search").headers["Location"] == HOME
    assert homework.get(HOME).status_code == 503
