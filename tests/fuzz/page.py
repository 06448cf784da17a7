"""The web page on each kind of database: every request is answered, and every answer is in order."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import io
import json
import os
import re
import shutil
import sys
import threading
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import cache, partial
from html.parser import HTMLParser
from http import HTTPStatus
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI, Request
from sqlalchemy import NullPool, create_engine, make_url
from uvicorn.server import ServerState

from chess_motif.errors import ChessMotifError
from db.store import Store
from motifsearch.positions.searcher import PositionSearcher
from motifsearch.puzzles.searcher import PuzzleSearcher
from motifsearch.trainer.cycles import begin_cycle
from motifsearch.trainer.plan import some_of_set
from motifsearch.trainer.round_state import RoundKind
from motifsearch.trainer.rounds import begin, grade, open_round, save
from motifsearch.trainer.sets import extend_training_set
from motifsearch.trainer.solving import Grade
from motifsearch.web.access import Access
from motifsearch.web.app import HEADERS, make_app
from motifsearch.web.connection import STOPPING, Connection, limits
from motifsearch.web.site import PageSettings, Site
from puzzlegen.games.accounts import SITES, GameSite
from tests.fuzz.case import FuzzCase, make_base, require
from tests.fuzz.mining_here import MadeUpEngine, made_up_pool
from tests.helpers.archived_games import GAMES, archive
from tests.helpers.missed_opportunities import BLACKS_FORK, FORK, opportunity_row, store_game
from tests.helpers.paths import ROOT
from tests.helpers.pool_here import mining_in
from tests.helpers.postgresql_server import program, running
from tests.motifsearch.web.conftest import BACK_RANK, HANGING, UNDER, add_puzzles

# The databases in the base; of that on PostgreSQL, a file has the address.
SQLITE, POSTGRESQL = "page.db", "page.postgresql"

# Who solves if no cookie says so: the first one by name. The games are hers.
SOLVER = "Ann"

# What no answer says.
_SECRETS = {
    "where the program is": str(ROOT),
    "where Python is": sys.prefix,
    "a traceback": "Traceback (",
    "SQLAlchemy": "sqlalche.me",
    "the driver": "psycopg",
}

# Requests that mention a token are sent to a page that asks for one.
_TOKEN, _MENTIONED = "open", re.compile(rb"token=|authorization:", re.IGNORECASE)

# The names by which the page is asked for.
_HERE = ("127.0.0.1", "localhost", "::1")

# Bytes of a request without its content, which are escaped by three; the server does not read much more.
_LONGEST = 20_000

# What says how long a request is, and whether another one follows: the server would wait for the rest.
_LENGTH = re.compile(rb"content-length:\s*\d+\s*$|transfer-encoding:|connection:", re.IGNORECASE)

# An element or an attribute that is in requests only, and elements of HTML without an end.
_INJECTED = "onfuzz"
_VOID = ("br", "hr", "img", "input", "link", "meta")

# The database of this process on PostgreSQL as long as it is as it was made.
_unchanged: set[str] = set()


@contextmanager
def base_in(folder: Path) -> Iterator[Path]:
    """Make the base in a new folder, with databases of the page. PostgreSQL runs during the block."""
    make_base(folder)
    _fill(str(folder / SQLITE), folder / f"{SQLITE}.index")
    initdb, control = program("initdb"), program("pg_ctl")
    with ExitStack() as stack:
        if initdb and control:
            server = stack.enter_context(running(initdb, control))
            address = stack.enter_context(server.database())
            _fill(address, folder / f"{POSTGRESQL}.index")
            (folder / POSTGRESQL).write_text(address)
        yield folder


def _fill(address: str, index: Path) -> None:
    """Store puzzles, games, what was found in them, and five rounds; make the indexes."""
    with Store(address) as store:
        add_puzzles(store, BACK_RANK, HANGING, UNDER)
        archive(store, *GAMES)
        store_game(store, opportunity_row(*FORK))
        store_game(store, opportunity_row(*BLACKS_FORK, taken=True), key="later", date="2024.02.01")
        extend_training_set(store, SOLVER, [SOLVER], k=0)
        with store.reading() as session:
            lesson = some_of_set(session, SOLVER, "Lesson")
        begin(store, SOLVER, "Lesson", lesson, "Lesson")
        solved = open_round(store, begin(store, SOLVER, "", lesson))
        solved.show()
        save(store, solved)
        for name in ("Lesson", ""):
            ended = begin(store, SOLVER, name, lesson[:1], name, RoundKind.CYCLE if name else RoundKind.SOME)
            grade(store, open_round(store, ended), Grade.GOOD)
        begin_cycle(store, SOLVER, "Lesson")
        PuzzleSearcher(store, directory=index).close()
        PositionSearcher(store, index).close()


def ask_on_sqlite(case: FuzzCase) -> None:
    """Send the request to a page on SQLite."""
    _ask(case, str(case.copy_of(SQLITE)), SQLITE)


def ask_on_postgresql(case: FuzzCase) -> None:
    """Send the request to a page on PostgreSQL. What it changes is undone before the next one."""
    file = case.base / POSTGRESQL
    require(file.exists(), "PostgreSQL's server is not installed")
    filled = make_url(file.read_text())
    own = filled.set(database=f"page_{os.getpid()}").render_as_string()
    if own not in _unchanged:
        name, server = f"page_{os.getpid()}", filled.set(database="postgres")
        engine = create_engine(server, isolation_level="AUTOCOMMIT", poolclass=NullPool)
        with engine.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            connection.exec_driver_sql(f"CREATE DATABASE {name} TEMPLATE {filled.database}")
    _unchanged.clear()
    if not _ask(case, own, POSTGRESQL):
        _unchanged.add(own)


def _ask(case: FuzzCase, address: str, name: str) -> bool:
    """Send the request; if it is a form that is taken, look where that leads. Return whether it is."""
    shutil.copytree(case.base / f"{name}.index", case.folder / "index")
    nowhere = {site: GameSite(each.name, "http://127.0.0.1:1", (), ()) for site, each in SITES.items()}
    folders = dict.fromkeys(("XDG_DATA_HOME", "XDG_CACHE_HOME"), str(case.folder))
    raised: list[BaseException] = []
    with (
        patch("puzzlegen.verify.idea.Engine", MadeUpEngine),
        patch("motifsearch.trainer.refutation.Engine", MadeUpEngine),
        patch.dict(SITES, nowhere),
        patch.dict(os.environ, folders),
        # On a busy computer an index takes longer to open than a visitor waits for it.
        patch("motifsearch.web.indexes.PATIENCE", 60.0),
        patch.object(threading, "excepthook", lambda died: raised.append(died.exc_value)),
        mining_in(made_up_pool),
        closing(Site(PageSettings(db=address, index=case.folder / "index"))) as site,
    ):
        url = make_url(site.store.address)
        secrets = {"a folder": str(case.folder), "the server": str(url.query.get("host", case.base))}
        page = _Page(site, _SECRETS | secrets, raised)
        request = case.file.read_bytes()
        answer = page.ask(request)
        # A link with the token leads to what was asked for, whatever that is.
        if answer.status != HTTPStatus.SEE_OTHER or not answer.asked.startswith("POST /"):
            return False
        if answer.asked == "POST /games":
            page.wait()
        cookie = answer.headers.get("Set-Cookie", "").partition(";")[0]
        after = page.ask(f"GET {answer.headers['Location']}\nCookie: {cookie}".encode())
        require(after.status < 400, f"{answer.asked}: leads to an answer with {after.status}")
        return True


class _Page:
    """A page without a server that goes on. What goes wrong in it is raised."""

    def __init__(self, site: Site, secrets: dict[str, str], raised: list[BaseException]) -> None:
        self._site, self._secrets, self._raised = site, secrets, raised

    def wait(self) -> None:
        """Wait until the games are analysed, as the script of the page does."""
        while b'"ended":false' in self.ask(b"GET /games/progress.json").content:
            pass

    def ask(self, request: bytes) -> SimpleNamespace:
        """Return the answer to a request, which is in order: `asked`, `status`, `headers`, `content`."""
        self._app = _app(_TOKEN if _MENTIONED.search(request) else None)
        self._app.state.site, self._app.state.refused = self._site, None
        raw, scope = asyncio.run(self._answer(_whole(request)))
        if self._raised:
            raise self._raised[0]
        method, _, target = request.partition(b"\n")[0].decode("latin-1").partition(" ")
        asked = f"{method:.10} {getattr(scope.get('route'), 'path', 'other')}"
        require(bool(raw), f"{asked}: no answer")
        received: Any = SimpleNamespace(makefile=lambda *_: io.BytesIO(raw))
        answer = http.client.HTTPResponse(received, method=method)
        answer.begin()
        content = answer.read()
        if answer.headers["Content-Encoding"] == "gzip" and content:
            content = gzip.decompress(content)
        found = SimpleNamespace(asked=asked, status=answer.status, headers=answer.headers, content=content)
        # The server itself answers what is no HTTP.
        if scope:
            path = target.partition("?")[0]
            is_json, is_double = path.endswith(".json"), path.endswith(".json.json")
            self._require_order(found, wants_json=is_json, is_double=is_double)
        return found

    async def _answer(self, request: bytes) -> tuple[bytes, MutableMapping[str, Any]]:
        """Return the whole answer, and what the server made of the request."""
        scopes: list[MutableMapping[str, Any]] = [{}]

        async def app(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
            scopes.append(scope)
            try:
                await self._app(scope, receive, send)
            except Exception as error:
                self._raised.append(error)
                raise

        config = uvicorn.Config(app, lifespan="off", log_level="critical", **limits())
        config.load()
        protocol: Any = partial(Connection, config, ServerState(), {STOPPING: threading.Event()})
        async with await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.write(request)
            answer = b""
            # A server that does not read a long request to its end may reset the connection.
            with suppress(ConnectionResetError):
                while part := await reader.read(_LONGEST):
                    answer += part
            writer.close()
        return answer, scopes[-1]

    def _require_order(self, answer: SimpleNamespace, *, wants_json: bool, is_double: bool) -> None:
        def ordered(condition: bool, otherwise: str) -> None:
            require(condition, f"{answer.asked}: {answer.status} {otherwise}")

        error = self._app.state.refused
        ordered(answer.status < 500, str(error and (error.__cause__ or error)).partition("\n")[0])
        said = f"{answer.headers}{answer.content.decode('latin-1')}"
        for what, secret in self._secrets.items():
            ordered(secret not in said, f"says {what}")
        for name, value in HEADERS.items():
            ordered(answer.headers[name] == value, f"without {name}")
        location = answer.headers.get("Location", "/")
        is_here = location.startswith("/") and not location.startswith(("//", "/\\"))
        ordered(is_here or urlsplit(location).hostname in _HERE, "leads to another site")
        ordered(not location.partition("?")[0].endswith(".json.json") or is_double, "leads to .json.json")
        kind = answer.headers.get_content_type()
        if kind == "application/json" and answer.content:
            json.loads(answer.content, parse_constant=lambda word: ordered(False, f"has {word}"))
        elif kind == "text/html":
            ordered(not wants_json, "is no JSON")
            _Elements(ordered).read(answer.content.decode())


@cache
def _app(token: str | None) -> FastAPI:
    """Return the application, which remembers the last error that it has turned into an answer."""
    app = make_app(access=Access(token=token))
    handler: Any = app.exception_handlers[ChessMotifError]

    @app.exception_handler(ChessMotifError)
    def refuse(request: Request, error: ChessMotifError) -> Any:
        app.state.refused = error
        return handler(request, error)

    return app


class _Elements(HTMLParser):
    """Reads HTML. Its elements must be closed, and none may come from a request."""

    def __init__(self, ordered: Callable[[bool, str], None]) -> None:
        super().__init__()
        self._ordered = ordered
        self._open: list[str] = []

    def read(self, text: str) -> None:
        self.feed(text)
        self.close()
        self._ordered(not self._open, f"leaves {self._open} open")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._ordered(_INJECTED not in (tag, *dict(attrs)), "has markup of the request")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        self._open += [tag] if tag not in _VOID else []

    def handle_endtag(self, tag: str) -> None:
        self._ordered(bool(self._open) and self._open.pop() == tag, f"has {tag} closed in the wrong place")


def _whole(request: bytes) -> bytes:
    """Return a request as it is sent: what its address may not have is escaped, and it has its length."""
    head, _, body = request.partition(b"\n\n")
    line, *headers = head[:_LONGEST].split(b"\n")
    method, _, target = line.partition(b" ")
    target = re.sub(rb"[^!-~]", lambda byte: b"%%%02X" % ord(byte.group()), target)
    kept = [header for header in headers if not _LENGTH.match(header)]
    if not any(header.lower().startswith(b"host:") for header in kept):
        kept.append(b"Host: 127.0.0.1")
    kept += [b"Connection: close", b"Content-Length: %d" % len(body), b"", body]
    return b"\r\n".join((b"%s %s HTTP/1.1" % (method, target), *filter(None, kept[:-2]), *kept[-2:]))
