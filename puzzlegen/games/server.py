"""Requests to a site's API, one at a time, which are made again after a pause where that may help.

Importing this module requires httpx.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

import httpx

from chess_motif import __version__
from chess_motif.errors import DownloadError
from chess_motif.progress import Progress
from chess_motif.text import clean
from puzzlegen.games.online import Site
from puzzlegen.games.split import split_block, whole_games

T = TypeVar("T")

# Most seconds to wait before asking again, whatever the site says.
LONGEST_PAUSE = 600

# Seconds of a pause after which to look whether to stop.
_STEP = 0.2


class TryLater(Exception):  # noqa: N818 - not an error: `Server.patiently` handles it
    """Raised for what may go better after a pause; the site asks for `wait` seconds if it is `busy`."""

    def __init__(self, reason: str, *, busy: bool = False, wait: int = 0) -> None:
        super().__init__(reason)
        self.busy = busy
        self.wait = wait


class Server:
    """The server of a site's API, whose redirects are not followed. Use it in a `with` statement.

    Raises `DownloadError` if the environment names a proxy that cannot be used.
    """

    def __init__(self, site: Site, user: str, progress: Progress) -> None:
        self.site = site
        self.progress = progress
        self._failures = 0
        # Chess.com wants to know whom to ask about the requests.
        headers = {"User-Agent": f"chess-motif/{__version__} (username: {user})"}
        try:
            self._client = httpx.Client(base_url=site.url, headers=headers, timeout=site.timeout)
        except (ImportError, ValueError, httpx.InvalidURL) as error:
            raise self.error(f"the proxy that is set cannot be used: {clean(str(error))}") from error

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @contextmanager
    def answer(
        self,
        path: str,
        expected: Iterable[int],
        parameters: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Iterator[httpx.Response]:
        """Ask once; the block reads the answer, whose status is one of `expected`.

        Raises `TryLater` if the connection fails, also while the block reads, or the server has too much to
        do, and `DownloadError` for any other answer.
        """
        try:
            with self._client.stream("GET", path, params=parameters, headers=headers) as response:
                status = response.status_code
                if status == httpx.codes.TOO_MANY_REQUESTS:
                    raise TryLater("allows no more requests for now", busy=True, wait=_wait(response))
                if status not in expected:
                    reason = f"answers {status} {httpx.codes.get_reason_phrase(status)}".rstrip()
                    raise TryLater(reason) if status >= 500 else self.error(reason)
                yield response
        except httpx.RequestError as error:
            reason = clean(str(error)) or type(error).__name__
            raise TryLater(f"the connection failed: {reason}") from error

    def patiently(self, ask: Callable[[], T]) -> T | None:
        """Return what `ask` returns. It is called again after a pause if it raises `TryLater`.

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
        """Forget the failures so far: something new arrived since."""
        self._failures = 0

    def pieces(self, response: httpx.Response, most: int) -> Iterator[bytes]:
        """Yield an answer in pieces. Raises `DownloadError` where it has more than `most` bytes."""
        size = 0
        for piece in response.iter_bytes():
            size += len(piece)
            if size > most:
                raise self.error(f"sends more than {most:,} bytes")
            yield piece

    def games(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the games of a PGN text that comes in pieces. Raises `DownloadError` for any other text."""
        for block in whole_games(pieces):
            for text, is_game in split_block(block):
                if is_game:
                    yield text
                elif text.strip():
                    raise self.error("sends what is not PGN")

    def later(self, reason: str) -> TryLater:
        """Return what makes `patiently` ask again, for a reason."""
        return TryLater(reason)

    def error(self, reason: str) -> DownloadError:
        """Return the error that this site causes for a reason."""
        return DownloadError(f"{self.site.name}: {reason}")

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


def _wait(response: httpx.Response) -> int:
    """Return the seconds that an answer asks to wait for, 0 if it does not say."""
    text = response.headers.get("Retry-After", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0
