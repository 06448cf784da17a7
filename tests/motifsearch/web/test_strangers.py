"""The server as a stranger meets it: odd requests on raw sockets, too many of them, and trouble below."""

from __future__ import annotations

import errno
import json
import logging
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from backports import zstd
from httpx2 import Client
from sqlalchemy import text

from chess_motif.errors import StoreError
from chess_motif.progress import Progress
from db.connections import connect
from db.store import Store
from motifsearch.trainer.train import games_folder
from motifsearch.web import analyses, connection
from motifsearch.web.analyses import Analysis
from motifsearch.web.connection import once_a_minute
from motifsearch.web.jobs import Jobs
from motifsearch.web.site import PageSettings, Site
from puzzlegen.games.players import find_players
from tests.motifsearch.web.conftest import BACK_RANK, TOKEN, add_puzzles, served

GAME = b'[Event "?"]\n[White "A"]\n[Black "B"]\n[Result "*"]\n\n1. e4 e5 *\n'


@contextmanager
def connected(client: Client) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", client.base_url.port or 0), timeout=30) as opened:
        yield opened


def everything(opened: socket.socket) -> bytes:
    """Return what comes until the server closes the connection."""
    parts = []
    while part := _received(opened):
        parts.append(part)
    return b"".join(parts)


def _received(opened: socket.socket) -> bytes:
    try:
        return opened.recv(65536)
    except ConnectionResetError:
        return b""


def answer(client: Client, request: bytes) -> bytes:
    """Send bytes, and return what comes until the server closes the connection."""
    with connected(client) as opened:
        opened.sendall(request)
        return everything(opened)


def is_given_up(send: Callable[[], object], times: int) -> bool:
    """Send so many times; return whether the server has closed the connection meanwhile."""
    try:
        for _ in range(times):
            send()
    except (ConnectionResetError, BrokenPipeError):
        return True
    return False


@pytest.mark.parametrize("host", ["x/healthz?", "x/healthz#", "user@x", "x\\healthz"])
def test_no_name_of_the_server_opens_it_without_the_token(guarded: Client, host: str) -> None:
    request = f"GET /search HTTP/1.1\r\nHost: {host}\r\n\r\n"
    assert answer(guarded, request.encode()).startswith(b"HTTP/1.1 400")


def test_what_is_said_to_anybody_is_nothing_else(guarded: Client) -> None:
    said = guarded.post("/healthz")
    assert (said.status_code, said.text, said.headers["Allow"]) == (405, "only GET and HEAD\n", "GET, HEAD")
    assert "Set-Cookie" not in said.headers


@pytest.mark.parametrize(
    ("framing", "status"),
    [
        ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"400"),
        ("Transfer-Encoding: chunked\r\n", b"411"),
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT", "GET"])
def test_a_request_says_once_how_long_it_is(client: Client, method: str, framing: str, status: bytes) -> None:
    head = f"{method} /rounds HTTP/1.1\r\nHost: 127.0.0.1\r\n{framing}\r\n"
    assert answer(client, head.encode()).startswith(b"HTTP/1.1 " + status)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: 127",
        b"POST /games HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nplay",
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET / HT",
    ],
)
def test_a_request_that_is_not_finished_in_time_is_given_up(
    client: Client, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(connection, "SECONDS", dict.fromkeys(connection.SECONDS, 0.3))
    began = time.monotonic()
    answer(client, sent)
    assert time.monotonic() - began < 10


def _slowly(opened: socket.socket) -> None:
    opened.sendall(b"G")
    time.sleep(0.02)


def test_a_request_that_comes_byte_by_byte_is_given_up(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "SECONDS", dict.fromkeys(connection.SECONDS, 0.5))
    with connected(client) as opened:
        assert is_given_up(partial(_slowly, opened), 400)


def test_an_answer_that_is_not_taken_is_given_up(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "SILENT", 0.3)
    with connected(client) as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        request = b"GET /static/0/style.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        assert is_given_up(lambda: opened.sendall(request), 100_000)


def test_of_too_many_connections_the_one_that_waited_longest_makes_way(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "MOST_CONNECTIONS", 5)
    with ThreadPoolExecutor(1) as threads, connected(client) as first:
        others = [socket.create_connection(first.getpeername(), timeout=30) for _ in range(9)]
        closed = threads.submit(everything, first)
        assert client.get("/healthz").text == "ok\n"
        assert closed.result(10) == b""
        for each in others:
            each.close()


def test_the_log_says_the_same_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("test.once")
    once_a_minute("test.once")
    for _ in range(3):
        logger.warning("Invalid HTTP request received.")
    logger.warning("Another one")
    assert caplog.messages == ["Invalid HTTP request received.", "Another one"]


def test_who_reads_does_not_wait_for_those_that_wait_to_write(
    client: Client, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.get("/")
    with closing(sqlite3.connect(str(sqlite_store.path), isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(20) as threads:
            posts = [threads.submit(client.post, "/rounds", data={"id": "backrank"}) for _ in range(20)]
            for path in ("/", "/search", "/games", "/metrics"):
                assert client.get(path).status_code == 200
            assert not any(post.done() for post in posts)
            answers = [post.result() for post in posts]
    assert {each.status_code for each in answers} == {503}
    assert {each.headers["Retry-After"] for each in answers} == {"5"}
    assert str(sqlite_store.path) not in answers[0].text


def test_a_pool_without_a_free_connection_is_an_error_of_the_store(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("db.connections.MOST_CONNECTIONS", 1)
    sqlite_store.engine = sqlite_store._reader = connect(sqlite_store.url, 0.1)
    monkeypatch.setattr(sqlite_store._reader.pool, "_max_overflow", 0)
    reading = sqlite_store.reading()
    with sqlite_store.reading(), pytest.raises(StoreError, match="limit"):
        reading.__enter__()


def test_an_error_of_the_database_does_not_say_where_it_is(client: Client, sqlite_store: Store) -> None:
    with sqlite_store.session() as session:
        session.execute(text("ALTER TABLE rounds RENAME TO squares"))
    said = client.get("/solve/1")
    assert said.status_code == 503
    assert "he database cannot be used now" in said.text
    assert "sqlite" not in said.text


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("//evil.example", "/evil.example"),
        ("/search.json?find=3", "/search.json?find=3"),
        ("/a%3Fb", "/a%3Fb"),
    ],
)
def test_the_link_with_the_token_leads_to_the_same_place(guarded: Client, path: str, there: str) -> None:
    mark = "&" if "?" in path else "?"
    request = f"GET {path}{mark}token={TOKEN} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    head = answer(guarded, request.encode()).decode()
    assert f"\r\nlocation: {there}\r\n" in head


def test_the_token_is_not_logged_however_it_is_written(
    guarded: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "chess_motif")
    request = f"GET /search?%74oken={TOKEN} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    assert answer(guarded, request.encode()).startswith(b"HTTP/1.1 303")
    logged = [record.__dict__["fields"]["path"] for record in caplog.records]
    assert logged == ["/search"]


def kept_files(store: Store) -> list[Path]:
    folder = games_folder(store)
    return list(folder.iterdir()) if folder.exists() else []


def uploaded(client: Client, content: bytes = GAME, name: str = "games.pgn", player: str = "A") -> Any:
    return client.post("/games", files={"file": (name, content)}, data={"player": player})


@pytest.mark.parametrize("player", ["nobody", ""])
def test_a_file_that_is_refused_is_not_kept(client: Client, sqlite_store: Store, player: str) -> None:
    refused = uploaded(client, player=player)
    assert refused.status_code == 400
    assert player in refused.text
    assert kept_files(sqlite_store) == []


def test_a_file_that_unpacks_to_too_much_is_refused(
    client: Client, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analyses, "UNPACKED", 1_000_000)
    said = uploaded(client, zstd.compress(GAME * 20_000), "games.pgn.zst")
    assert "unpacks to more than" in said.text
    assert kept_files(sqlite_store) == []


def test_a_damaged_file_is_named_as_it_was_sent(client: Client, sqlite_store: Store) -> None:
    packed = zstd.compress(b"no game\n" * 9999)
    said = uploaded(client, packed[:-9], "mine.pgn.zst").text
    assert "Mine.pgn.zst: " in said
    assert str(sqlite_store.path) not in said


def test_a_full_disk_is_one_line_and_leaves_no_file(
    client: Client, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(path: Path, content: bytes) -> int:
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write)
    said = uploaded(client)
    assert (said.status_code, said.headers["Retry-After"]) == (503, "5")
    assert "No space left on device" in said.text
    assert kept_files(sqlite_store) == []


def test_a_full_disk_while_a_file_arrives_is_said(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(self: object, content: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.SpooledTemporaryFile.write", write)
    said = uploaded(client)
    assert said.status_code == 503
    assert "No space left on device" in said.text


def test_looking_for_a_player_stops(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    file.write_bytes(GAME * 3)

    class Stopping(Progress):
        looks = 0

        @property
        def stopping(self) -> bool:
            self.looks += 1
            return self.looks > 2

    assert [each.games for each in find_players([str(file)], "A", Stopping())] == [2]


def test_a_file_is_not_looked_through_for_somebody_who_has_gone(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = threading.Event()

    def find(archives: object, words: str, progress: Progress) -> list[object]:
        while not progress.stopping:
            time.sleep(0.01)
        stopped.set()
        return []

    monkeypatch.setattr(analyses, "find_players", find)
    monkeypatch.setattr(analyses, "LOOK_EVERY", 0.0)
    body = client.build_request("POST", "/games", files={"file": ("a.pgn", GAME)}, data={"player": "A"})
    head = "".join(f"{name}: {value}\r\n" for name, value in body.headers.items())
    with connected(client) as opened:
        opened.sendall(f"POST /games HTTP/1.1\r\n{head}\r\n".encode() + body.read())
        assert not stopped.wait(0.3)
    assert stopped.wait(10)


def test_analyses_that_a_restart_has_interrupted_are_continued(
    sqlite_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, done = threading.Event(), threading.Event()

    def train(games: list[str], store: Store, players: list[str], *, progress: Progress, **_: object) -> None:
        begun.set()
        while players == ["slow"] and not progress.stopping:
            time.sleep(0.01)
        done.set()

    monkeypatch.setattr(analyses, "train", train)
    site = Site(PageSettings(db=str(sqlite_store.path)))
    for name in ("slow", "next"):
        site.analyses.begin(Analysis(source=name, title=name, student=name, since=date(2026, 1, 31)))
    assert begun.wait(10)
    site.close()
    done.clear()
    again = Site(PageSettings(db=str(sqlite_store.path)))
    kept = [each.title for each in again.analyses.interrupted]
    again.close()
    assert kept == ["slow", "next"]
    with sqlite_store.session() as session:
        session.execute(text("UPDATE store_facts SET value = replace(value, 'slow', 'first')"))
    with served(sqlite_store, tmp_path) as address, Client(base_url=address, timeout=60) as client:
        assert "Interrupted: first, next." in client.get("/games").text
        assert client.post("/games/continue").status_code == 303
        assert done.wait(10)
        assert "Interrupted" not in client.get("/games").text
    last = Site(PageSettings(db=str(sqlite_store.path)))
    assert last.analyses.interrupted == []
    last.close()


def test_what_is_told_of_an_analysis_has_no_paths() -> None:
    jobs = Jobs([Path("/home/anna/chess")])

    def work(progress: Progress) -> None:
        progress.update("/home/anna/chess/games.pgn", 1, 2, "B")
        progress.notice("/home/anna/chess/games.pgn: damaged")
        raise StoreError("/home/anna/chess/puzzles.db: locked")

    jobs.begin("", "", work)
    jobs.stop()
    assert jobs.state is not None
    assert "anna" not in json.dumps(vars(jobs.state))


def test_an_analysis_that_fails_does_not_keep_others_waiting() -> None:
    jobs = Jobs()
    done = threading.Event()
    jobs.begin("", "", lambda progress: [][1])
    jobs.begin("", "", lambda progress: done.set())
    assert done.wait(10)
    jobs.stop()


def test_a_puzzle_is_shown_before_the_index_is_built(
    sqlite_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_puzzles(sqlite_store, BACK_RANK)
    built = threading.Event()

    def searcher(store: Store, *, directory: Path, progress: Progress) -> Any:
        progress.update("indexing", 43, 100, "puzzle")
        built.wait(60)
        return SimpleNamespace(close=lambda: None)

    monkeypatch.setattr("motifsearch.web.site.PuzzleSearcher", searcher)
    monkeypatch.setattr("motifsearch.web.indexes.PATIENCE", 0.01)
    with served(sqlite_store, tmp_path) as address, Client(base_url=address, timeout=60) as client:
        shown = client.get("/puzzles/backrank")
        assert shown.status_code == 200
        assert "The puzzles are being indexed for searches: 43 %" in shown.text
        assert "Similar puzzles" not in shown.text
        searched = client.get("/search.json?q=backrank")
        assert (searched.status_code, searched.headers["Retry-After"]) == (503, "5")
        assert "43 %" in searched.json()["error"]
        built.set()


@contextmanager
def command_that_is_terminated(store: Store) -> Iterator[str]:
    """Run `motifsearch serve` in the block, which gets its address; then it must end in time, and quietly."""
    words = ["serve", "--port", "0", "--db", str(store.path)]
    with subprocess.Popen(
        [sys.executable, "-m", "motifsearch", *words], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        said = re.search(r"http://\S+(?=/)", process.stderr.readline())
        assert said is not None
        yield said[0]
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 143
        assert "Traceback" not in process.stderr.read()


def test_the_command_ends_within_ten_seconds_while_a_file_arrives(sqlite_store: Store) -> None:
    head = b"POST /games HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9999\r\n"
    with command_that_is_terminated(sqlite_store) as address, Client(base_url=address) as client:
        opened = socket.create_connection(("127.0.0.1", client.base_url.port or 0))
        opened.sendall(head + b"Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n")
        # By now the server has got what was sent before.
        client.get("/healthz")
    opened.close()


def test_the_command_ends_within_ten_seconds_while_a_file_is_looked_through(sqlite_store: Store) -> None:
    games = zstd.compress(GAME * 2_000_000)
    with ThreadPoolExecutor(1) as threads:
        with command_that_is_terminated(sqlite_store) as address:
            client = Client(base_url=address, timeout=60)
            sent = threads.submit(uploaded, client, games, "games.pgn.zst")
            while not kept_files(sqlite_store):
                time.sleep(0.01)
        assert sent.result().status_code == 400
        client.close()
