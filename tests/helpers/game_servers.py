"""Servers on this computer that answer as those of Lichess and Chess.com do, and fail on request."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from puzzlegen.games.accounts import GameSite

USER = "some-user"


@dataclass
class ReceivedRequest:
    path: str
    query: dict[str, str]
    headers: dict[str, str]


@dataclass
class Reply:
    """An answer. After `cut` bytes of its body the connection breaks, or falls silent if it `hangs`.

    With a `pause`, the body comes byte by byte, with so many seconds after each.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    hangs: bool = False
    pause: float = 0


class GameServer:
    """Answers each request with the first of `faults`, and without any as a subclass does.

    `requests` are those that came. A fault without a body of its own cuts the answer that it replaces.
    """

    def __init__(self) -> None:
        self.requests: list[ReceivedRequest] = []
        self.faults: list[Reply] = []
        self.url = ""
        self.closing = threading.Event()

    def site(self, name: str = "the site", timeout: float = 10) -> GameSite:
        """Return the site that this server is, where three failures in a row are too many."""
        return GameSite(name, self.url, (0, 0), (0, 0), timeout)

    def reply(self, request: ReceivedRequest) -> Reply:
        raise NotImplementedError

    def next_reply(self, request: ReceivedRequest) -> Reply:
        self.requests.append(request)
        if not self.faults:
            return self.reply(request)
        fault = self.faults.pop(0)
        if fault.status == 200 and not fault.body:
            fault.body = self.reply(request).body
        return fault


class Lichess(GameServer):
    """Has the games of one user, in the order of their last moves."""

    def __init__(self, games: list[bytes]) -> None:
        super().__init__()
        self.games = games

    def reply(self, request: ReceivedRequest) -> Reply:
        if request.path != f"/api/games/user/{USER}":
            return Reply(404, b"Not found")
        since = int(request.query.get("since", "0"))
        return Reply(200, b"".join(game for game in self.games if ended(game) >= since))


class Chesscom(GameServer):
    """Has months of games of one user. An address in `addresses` is listed as it is."""

    def __init__(self, months: dict[str, bytes]) -> None:
        super().__init__()
        self.months = months
        self.addresses: list[str] = []

    @property
    def player(self) -> str:
        return f"{self.url}/pub/player/{USER}/games"

    def asked(self) -> list[str]:
        """Return the months that were asked for."""
        return [request.path[-11:-4] for request in self.requests if request.path.endswith("/pgn")]

    def reply_to_list(self) -> Reply:
        listed = [f"{self.player}/{month}" for month in self.months] + self.addresses
        return Reply(200, json.dumps({"archives": listed}).encode())

    def reply(self, request: ReceivedRequest) -> Reply:
        path = request.path.removeprefix(f"/pub/player/{USER}/games/")
        if path == "archives":
            return self.reply_to_list()
        month = path.removesuffix("/pgn")
        if month not in self.months:
            return Reply(404, b'{"code": 0, "message": "not found"}')
        tag = f'W/"{len(self.months[month])}"'
        if request.headers.get("If-None-Match") == tag:
            return Reply(304, headers={"ETag": tag})
        return Reply(200, self.months[month], {"ETag": tag})


@contextmanager
def running(server: GameServer) -> Iterator[None]:
    """Run a server in another thread, and set its address."""
    listener = _Listener(("127.0.0.1", 0), _Handler)
    listener.games = server
    server.url = f"http://127.0.0.1:{listener.server_port}"
    thread = threading.Thread(target=listener.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield
    finally:
        server.closing.set()
        listener.shutdown()
        thread.join()
        listener.server_close()


def lichess_game(number: int, began: datetime, ended: datetime | None = None) -> bytes:
    """Return a game as Lichess sends it."""
    headers = {
        "Event": "rated blitz game",
        "Site": f"https://lichess.org/game{number:04}",
        "White": USER,
        "Black": "other",
        "Result": "1-0",
        "UTCDate": f"{began:%Y.%m.%d}",
        "UTCTime": f"{began:%H:%M:%S}",
        "Variant": "Standard",
        # Lichess knows when a game ended, and does not say it.
        "Ended": f"{ended or began:%Y.%m.%d %H:%M:%S}",
    }
    tags = "".join(f'[{name} "{value}"]\n' for name, value in headers.items())
    moves = "1. e4 { [%clk 0:03:00] } 1... e5 { [%clk 0:03:00] } 2. Nf3 { [%clk 0:02:59] } 1-0"
    return f"{tags}\n{moves}\n\n\n".encode()


def ended(game: bytes) -> int:
    """Return when a game of `lichess_game` ended, in milliseconds."""
    text = game.decode().split('[Ended "')[1][:19]
    return int(datetime.strptime(text, "%Y.%m.%d %H:%M:%S").replace(tzinfo=UTC).timestamp() * 1000)


def chesscom_game(number: int) -> bytes:
    """Return a game as Chess.com sends it."""
    link = f'[Link "https://www.chess.com/game/live/{number}"]'
    return f'[Event "Live Chess"]\n[Site "Chess.com"]\n{link}\n\n1. d4 {{[%clk 0:03:00]}} 1-0\n\n\n'.encode()


class _Listener(ThreadingHTTPServer):
    daemon_threads = False
    games: GameServer

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing where the client left early."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    server: _Listener
    protocol_version = "HTTP/1.1"
    timeout = 10

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(address.query).items()}
        reply = self.server.games.next_reply(ReceivedRequest(address.path, query, dict(self.headers)))
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.status == 304:
            self.end_headers()
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        body = reply.body if reply.cut is None else reply.body[: reply.cut]
        # Pieces that games do not fit into.
        size = 1 if reply.pause else 300
        for start in range(0, len(body), size):
            if reply.pause and self.server.games.closing.wait(reply.pause):
                break
            piece = body[start : start + size]
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        if reply.hangs:
            self.server.games.closing.wait(10)
        if reply.cut is None and not reply.hangs:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.close_connection = True

    def log_message(self, format: str, *arguments: object) -> None:
        pass
