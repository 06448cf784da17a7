"""The engine that everybody who asks shares: one search at a time, and a limit for each client."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import chess

from chess_motif.errors import EngineError, EngineMissingError
from engines.engine import Variation
from engines.finding import find_engine, install_command
from engines.options import EngineChoice
from motifsearch.trainer.refutation import Refutation, Refuter

# How many requests wait for the engine.
MOST_WAITING = 8

# How many searches a client may ask for in this many seconds: more than anybody who solves.
MOST_SEARCHES = 30
SECONDS = 60.0

# How many clients are remembered.
MOST_CLIENTS = 10_000

T = TypeVar("T")


class EngineBusyError(EngineError):
    """Too many wait for the engine, or a client has asked too often. Ask again after `seconds`."""

    def __init__(self, message: str, seconds: int) -> None:
        """Say why, and when to ask again."""
        super().__init__(f"{message}; try again in {seconds} seconds")
        self.seconds = seconds


class SharedEngine:
    """An engine, which is started when it is first needed. Close it."""

    def __init__(self, engine: EngineChoice = None) -> None:
        """Use this engine (default: Stockfish, wherever it is installed)."""
        self._engine, self._refuter = engine, Refuter(engine)
        self._searching = threading.Lock()
        self._waiting = threading.BoundedSemaphore(MOST_WAITING)
        self._asked: dict[str, deque[float]] = {}
        self._counting = threading.Lock()

    @property
    def lacking(self) -> str:
        """How to install Stockfish if it is needed and missing, otherwise empty; looked for each time."""
        try:
            if self._engine is None:
                find_engine()
        except EngineMissingError:
            return install_command()
        return ""

    def close(self) -> None:
        """End the engine, after the search that is going on."""
        with self._searching:
            self._refuter.close()

    @contextmanager
    def turn(self, client: str, has_gone: Callable[[], bool] = lambda: False) -> Iterator[None]:
        """Wait for the client's turn, and keep others waiting during the block. Raises `EngineBusyError`.

        Nothing is searched for a client that `has_gone` when its turn comes.
        """
        self._count(client)
        if not self._waiting.acquire(blocking=False):
            raise EngineBusyError("too many searches wait for the engine", 5)
        try:
            with self._searching:
                if has_gone():
                    raise EngineBusyError("nobody waits for this search", 5)
                yield
        finally:
            self._waiting.release()

    def refuted(
        self,
        board: chess.Board,
        move: chess.Move,
        client: str,
        has_gone: Callable[[], bool] = lambda: False,
    ) -> Refutation | None:
        """Return why a move fails, None if no engine can say so. Raises `EngineBusyError` (see `turn`)."""
        return self._searched(lambda: self._refuter.refute(board, move), client, has_gone)

    def answered(
        self, board: chess.Board, client: str, has_gone: Callable[[], bool] = lambda: False
    ) -> Variation | None:
        """Return the best move in a position that has a legal one, None as `refuted` does."""
        return self._searched(lambda: self._refuter.answer(board), client, has_gone)

    def _searched(self, search: Callable[[], T], client: str, has_gone: Callable[[], bool]) -> T | None:
        with self.turn(client, has_gone):
            try:
                return search()
            except EngineError:
                return None

    def _count(self, client: str) -> None:
        """Count a search of a client. Raises `EngineBusyError` if there were too many."""
        now = time.monotonic()
        with self._counting:
            asked = self._asked.pop(client, deque())
            while asked and asked[0] <= now - SECONDS:
                asked.popleft()
            # Who asked last is last; who has asked least recently is forgotten first.
            self._asked[client] = asked
            if len(self._asked) > MOST_CLIENTS:
                del self._asked[next(iter(self._asked))]
            if len(asked) >= MOST_SEARCHES:
                raise EngineBusyError("you have asked for many searches", 1 + int(asked[0] + SECONDS - now))
            asked.append(now)
