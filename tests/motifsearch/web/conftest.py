"""A page that is served, and a real browser that opens it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from httpx2 import Client
from playwright.sync_api import Browser, BrowserContext, Page

import db.puzzles as stored
from db.models import Kind, Puzzle
from db.sets import create_set, extend_set
from db.store import Store
from motifsearch.web.access import Access
from motifsearch.web.app import make_app
from motifsearch.web.connection import limits
from motifsearch.web.site import PageSettings
from tests.helpers.browser import PATIENCE, opened_browser
from tests.helpers.rows import puzzle_row

STUDENT = "Anna"
TOKEN = "open-sesame"

# Qe8+ sacrifices the queen, and the rook mates.
BACK_RANK = ("backrank", "3r2k1/5ppp/8/8/8/8/4QPPP/4R1K1 w - - 0 1", "e2e8 d8e8 e1e8", "")
# Either piece may take the queen.
HANGING = ("hanging1", "4k3/8/8/3q4/8/2N5/5PPP/3RK3 w - - 0 1", "c3d5 e8d8 d5e3", "c3d5 d1d5")
# The pawn becomes a knight, with check, and then takes the queen. As a queen it is taken.
UNDER = ("underpro", "8/4Pk2/8/8/8/8/8/K2R4 w - - 0 1", "e7e8q", "")


def add_puzzles(store: Store, *puzzles: tuple[str, str, str, str]) -> None:
    """Store puzzles (id, FEN, solution, accepted moves), and a set of them for the student."""
    with store.session() as session:
        stored.add_puzzles(session, [puzzle(*each) for each in puzzles])
        create_set(session, "Lesson", STUDENT)
        extend_set(session, "Lesson", STUDENT, [(name, None) for name, *_ in puzzles])


def puzzle(name: str, fen: str, solution: str, accepted: str) -> Puzzle:
    """Return a puzzle, which is an exercise if it accepts several moves."""
    kind = Kind.EXERCISE if accepted else Kind.PUZZLE
    return puzzle_row(name, kind=kind, fen=fen, puzzle_fen=fen, solution=solution, accepted=accepted)


@pytest.fixture
def address(sqlite_store: Store, tmp_path: Path) -> Iterator[str]:
    """The address of a page with the puzzles of `sqlite_store`, which is served until the test ends."""
    with served(sqlite_store, tmp_path) as address:
        yield address


@pytest.fixture
def client(sqlite_store: Store, address: str) -> Iterator[Client]:
    """A client of a page with one puzzle, who is the student."""
    add_puzzles(sqlite_store, BACK_RANK)
    with Client(base_url=address, timeout=60, cookies={"student": STUDENT}) as opened:
        yield opened


@pytest.fixture
def guarded(sqlite_store: Store, tmp_path: Path) -> Iterator[Client]:
    """A client of a page that needs a token, which it has not shown yet."""
    add_puzzles(sqlite_store, BACK_RANK)
    with (
        served(sqlite_store, tmp_path, Access(token=TOKEN)) as address,
        Client(base_url=address, timeout=60) as opened,
    ):
        yield opened


@contextmanager
def served(store: Store, folder: Path, access: Access | None = None) -> Iterator[str]:
    """Serve a page with the puzzles of a store in the block; yield its address."""
    app = make_app(PageSettings(db=str(store.path), index=folder / "index"), access)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", **limits()))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            thread.join(0.01)
            assert thread.is_alive()
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


# Not of the session: as long as it is open, no other test of the process can run an event loop.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with opened_browser() as opened:
        yield opened


@pytest.fixture
def complaints() -> list[str]:
    """What the browser complains of; there must be nothing at the end of a test."""
    return []


@pytest.fixture
def page(browser: Browser, address: str, complaints: list[str]) -> Iterator[Page]:
    """A page of the student's browser, which must not complain of anything."""
    context = browser.new_context(base_url=address, reduced_motion="reduce")
    known(context, address)
    context.set_default_timeout(PATIENCE)
    opened = context.new_page()
    opened.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    yield opened
    context.close()
    assert complaints == []


def known(context: BrowserContext, address: str) -> None:
    """Let a browser say that the student is solving."""
    context.add_cookies([{"name": "student", "value": STUDENT, "url": address}])


def begin(page: Page) -> None:
    """Begin to solve today's plan."""
    page.goto("/")
    page.evaluate(
        "const form = Object.assign(document.createElement('form'), {method: 'post', action: '/rounds'});"
        "document.body.append(form); form.submit()"
    )
    page.wait_for_url("**/solve/*")


def type_move(page: Page, move: str) -> None:
    field = page.get_by_label("Move", exact=True)
    if not field.is_visible():
        page.get_by_text("Type a move instead").click()
    field.fill(move)
    page.keyboard.press("Enter")
