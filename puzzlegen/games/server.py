"""Requests to a site's API, one at a time, which are repeated after a pause if that may help."""

from __future__ import annotations

import math
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import chain
from threading import Event, Thread
from typing import Any, TypeVar

import httpx2

from chess_motif import __version__
from chess_motif.errors import DownloadError
from chess_motif.progress import Progress
from chess_motif.text import clean
from puzzlegen.games.accounts import GameSite
from puzzlegen.games.split import split_blocks

T = TypeVar("T")

# The most seconds to wait before a new attempt, whatever the site says.
LONGEST_PAUSE = 600

# Seconds between checks whether to stop, in a pause or while waiting for an answer.
_STEP = 0.2

# The most seconds to wait for a connection, which cannot be ended early.
_CONNECTING = 10

# The least bytes of an answer in the time for which its site may be silent.
_LEAST_BYTES = 500

# The events of httpcore2 after which a connection has a new socket.
_CONNECTED = ("connection.connect_tcp.complete", "connection.start_tls.complete", "proxy.start_tls.complete")


class TryLater(Exception):  # noqa: N818 - not an error: `Server.patiently` handles it
    """Raised if a request may succeed after a pause; a `busy` site asks for `wait` seconds."""

    def __init__(self, reason: str, *, busy: bool = False, wait: int = 0) -> None:
        super().__init__(reason)
        self.busy = busy
        self.wait = wait


class Server:
    """The server of a site's API. Redirects are not followed. Use it in a `with` statement.

    Compressed answers are refused, since a few bytes could become any number. A thread ends the connection if
    an answer comes too slowly, or once the progress says to stop. Raises `DownloadError` if the environment
    names an unusable proxy.
    """

    def __init__(self, site: GameSite, user: str, progress: Progress) -> None:
        self.site = site
        self.progress = progress
        self._failures = 0
        # Chess.com wants to know whom to ask about the requests.
        headers = {
            "User-Agent": f"chess-motif/{__version__}" + (f" (username: {user})" if user else ""),
            "Accept-Encoding": "identity",
        }
        # httpx2 parses the address of a redirect, and may fail, even if it does not follow the redirect.
        hooks = {"response": [lambda response: response.headers.pop("Location", None)]}
        timeout = httpx2.Timeout(site.timeout, connect=min(site.timeout, _CONNECTING))
        self._socket: socket.socket | None = None
        self._deadline, self._overdue, self._closed = math.inf, False, Event()
        try:
            self._client = httpx2.Client(
                base_url=site.url, headers=headers, timeout=timeout, event_hooks=hooks
            )
        except (ImportError, ValueError, httpx2.InvalidURL) as error:
            raise self.error(f"the configured proxy cannot be used: {clean(str(error))}") from error

    def __enter__(self) -> Server:
        Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._client.close()

    @contextmanager
    def answer(
        self,
        path: str,
        expected: Iterable[int],
        parameters: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Iterator[httpx2.Response]:
        """Ask once; the block reads the answer, whose status is one of `expected`.

        Raises `TryLater` if the connection fails, also while the block reads, or if the server is overloaded,
        and `DownloadError` for any other answer.
        """
        self._deadline, self._overdue = time.monotonic() + self.site.timeout, False
        traced = {"trace": self._note_socket}
        try:
            with self._client.stream(
                "GET", path, params=parameters, headers=headers, extensions=traced
            ) as response:
                status = response.status_code
                if status == httpx2.codes.TOO_MANY_REQUESTS:
                    raise TryLater("allows no more requests for now", busy=True, wait=_wait(response))
                if status not in expected:
                    reason = f"answers {status} {httpx2.codes.get_reason_phrase(status)}".rstrip()
                    raise TryLater(reason) if status >= 500 else self.error(reason)
                if response.headers.get("Content-Encoding", "identity").lower() != "identity":
                    raise self.error("sends a compressed answer")
                yield response
        except httpx2.RequestError as error:
            reason = "too slow" if self._overdue else clean(str(error)) or type(error).__name__
            raise TryLater(f"the connection failed: {reason}") from error
        finally:
            self._deadline = math.inf

    def patiently(self, ask: Callable[[], T]) -> T | None:
        """Return the result of `ask`, which is called again after a pause if it raises `TryLater`.

        None once the progress says to stop. Raises `DownloadError` after too many failures since the last
        call of `arrived`.
        """
        self.arrived()
        while not self.progress.stopping:
            try:
                return ask()
            except TryLater as error:
                self._pause(error)
        return None

    def arrived(self) -> None:
        """Forget the failures so far, because something new has arrived."""
        self._failures = 0

    def pieces(self, response: httpx2.Response, most: int) -> Iterator[bytes]:
        """Yield an answer in pieces. Raises `DownloadError` after more than `most` bytes."""
        size, needed = 0, _LEAST_BYTES
        for piece in response.iter_raw():
            size += len(piece)
            if size > most:
                raise self.error(f"sends more than {most:,} bytes")
            if size >= needed:
                needed = size + _LEAST_BYTES
                self._deadline = time.monotonic() + self.site.timeout
            yield piece

    def games(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the games of a PGN text that comes in pieces. Raises `DownloadError` for any other text."""
        for text, is_game in chain.from_iterable(split_blocks(pieces)):
            if is_game:
                yield text
            elif text.strip():
                raise self.error("sends something other than PGN")

    def later(self, reason: str) -> TryLater:
        """Return the exception that makes `patiently` ask again."""
        return TryLater(reason)

    def error(self, reason: str) -> DownloadError:
        """Return an error that names this site."""
        return DownloadError(f"{self.site.name}: {reason}")

    def _note_socket(self, event: str, about: Mapping[str, Any]) -> None:
        if event in _CONNECTED:
            self._socket = about["return_value"].get_extra_info("socket")

    def _watch(self) -> None:
        """End the connection of an answer that is overdue, or no longer wanted."""
        while not self._closed.wait(_STEP):
            overdue = time.monotonic() > self._deadline
            if self._socket is not None and (
                overdue or (self.progress.stopping and self._deadline < math.inf)
            ):
                self._overdue = overdue
                # `SSLSocket.shutdown` would raise an unexpected error in the reading thread.
                with suppress(OSError):
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def _pause(self, failure: TryLater) -> None:
        pauses = self.site.busy_pauses if failure.busy else self.site.pauses
        if self._failures >= len(pauses):
            raise self.error(f"{failure}; the same command resumes from here") from failure
        pause = min(max(pauses[self._failures], failure.wait), LONGEST_PAUSE)
        self._failures += 1
        self.progress.notice(f"{self.site.name}: {failure}; trying again in {pause:g} seconds")
        end = time.monotonic() + pause
        while not self.progress.stopping and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, _STEP))


def _wait(response: httpx2.Response) -> int:
    """Return how many seconds an answer asks to wait, 0 if it does not say."""
    text = response.headers.get("Retry-After", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0
