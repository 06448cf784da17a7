"""What clients may take of the server: connections, the time to ask, and lines of its log."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

# Open connections. Where one more is opened, the one that has waited longest for its client makes way. Some
# systems give a process no more than 256 files.
MOST_CONNECTIONS = 150

# Connections that the system may hand over at once.
BACKLOG = 50

# Seconds for the head of a request and for its body: the largest, at one megabit a second.
SECONDS = {h11.IDLE: 15.0, h11.SEND_BODY: 200.0}

# Seconds in which a client must send or take something, unless it is the server's turn.
SILENT = 20.0

# Seconds for which a connection is kept: longer than most people think about a move. A new one takes another
# trip to the server and back.
IDLE_SECONDS = 75

# Seconds between two lines of the log that say the same.
SAY_AGAIN = 60.0

# The name of the event, in the state of each request, that the server has to end.
STOPPING = "stopping"


class Connection(H11Protocol):
    """A connection that is closed when its client does not ask, or take the answer, in time.

    Uvicorn itself ends those that wait for another request after an answer.
    """

    _state: object = None
    _since = 0.0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request; if there are too many connections, close another one."""
        super().connection_made(transport)
        self._wait_for_client()
        if len(self.connections) > MOST_CONNECTIONS:
            waiting = [each for each in self.connections if isinstance(each, Connection) and each.waits]
            longest = min(waiting, key=lambda each: each._since)
            # It is lost only later, when others may have come as well.
            self.connections.discard(longest)
            longest.transport.abort()

    @property
    def waits(self) -> bool:
        """Whether it is the client's turn to send something."""
        return self.conn.their_state in SECONDS

    def data_received(self, data: bytes) -> None:
        """Go on with what has come."""
        super().data_received(data)
        self._wait_for_client()

    def on_response_complete(self) -> None:
        """Go on with what has come meanwhile."""
        super().on_response_complete()
        if self.conn.trailing_data[0]:
            self._wait_for_client()

    def pause_writing(self) -> None:
        """Wait until the client has taken some of the answer."""
        super().pause_writing()
        self._set_timer(SILENT)

    def resume_writing(self) -> None:
        """Go on with the answer."""
        super().resume_writing()
        self._wait_for_client()

    def shutdown(self) -> None:
        """Answer what was asked, but soon; what is still arriving is given up."""
        self.app_state[STOPPING].set()
        if self.conn.their_state is h11.SEND_BODY:
            self.transport.abort()
        else:
            super().shutdown()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._set_timer(None)
        super().connection_lost(exc)

    def _wait_for_client(self) -> None:
        if self.flow.write_paused:
            return
        now, state = self.loop.time(), self.conn.their_state
        if state is not self._state:
            self._state, self._since = state, now
        self._set_timer(min(SILENT, self._since + SECONDS[state] - now) if self.waits else None)

    def _set_timer(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self.transport.abort)


def limits() -> dict[str, Any]:
    """Return the options of `uvicorn.Config` that limit connections."""
    return {"http": Connection, "ws": "none", "backlog": BACKLOG, "timeout_keep_alive": IDLE_SECONDS}


def once_a_minute(*loggers: str) -> None:
    """Let these loggers say the same only once a minute: what one client can cause, it can cause often."""
    said: dict[tuple[str, str], float] = {}

    def is_new(record: logging.LogRecord) -> bool:
        error = record.exc_info[0] if record.exc_info else None
        key, now = (str(record.msg).partition("\n")[0], str(error)), time.monotonic()
        if now < said.get(key, 0.0):
            return False
        said[key] = now + SAY_AGAIN
        return True

    for name in loggers:
        logging.getLogger(name).addFilter(is_new)
