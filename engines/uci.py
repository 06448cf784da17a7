"""One UCI engine process behind one small class: bounded searches, replaced when it dies or hangs.

Every search has a node limit, which decides, and a time cap, which only catches an engine that does
not come back. A process that failed once is never used again. Each search begins with an empty hash
table, so that what it finds depends on the position, the engine and the budget alone.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TypeVar

import chess
import chess.engine

from chess_motif.errors import EngineFailedError, EngineMissingError
from engines.winchance import centipawn_scale, win_chance

# Transposition table in MiB: room for a search of a million nodes. Clearing a larger one takes longer
# than a small search.
HASH = 16

# Time cap of a search: some seconds to wake up, and this many nodes a second on a machine that is
# busy with other things (an idle core does about a million).
LEAST_SECONDS = 5.0
LEAST_NODES_PER_SECOND = 20_000

# What the engine may take on top of the time cap, or for starting up, before it counts as hung.
GRACE_SECONDS = 10.0

# A unit of work is given up when it failed this often; pauses between attempts double.
ATTEMPTS = 3
FIRST_PAUSE_SECONDS = 0.2

# What is read of the engine's lines: no more than is used, since reading takes a good part of the
# time of a small search, and most of that goes into the moves.
_SCORES = chess.engine.INFO_BASIC | chess.engine.INFO_SCORE
_SCORES_AND_MOVES = _SCORES | chess.engine.INFO_PV

# Failures become exceptions here; python-chess need not report them a second time.
logging.getLogger("chess.engine").addHandler(logging.NullHandler())

T = TypeVar("T")


@dataclass(frozen=True)
class Variation:
    """A line of play and what it is worth to the side to move: its score, and win chance (-1…1).

    `moves` may be its beginning only, or none, as the search was told.
    """

    moves: tuple[chess.Move, ...]
    score: chess.engine.Score
    chance: float

    @property
    def move(self) -> chess.Move:
        """The first move of the line."""
        return self.moves[0]

    @property
    def mate_in(self) -> int | None:
        """Moves until mate: positive when the side to move mates, negative when it is mated."""
        return self.score.mate()


class UciEngine:
    """A UCI engine with one thread. Close it, or use it in a `with` statement.

    `nodes` and `searches` count all that was spent so far, failed attempts included.
    """

    def __init__(self, command: str, *, grace: float = GRACE_SECONDS) -> None:
        """Start the engine at path `command`; raises `EngineMissingError`, `EngineFailedError`.

        `grace` is how long it may take, in seconds, beyond what it was given.
        """
        self.command = command
        self.grace = grace
        self.nodes = 0
        self.searches = 0
        self._closed = False
        self._process: chess.engine.SimpleEngine | None = None
        process = self.attempt(self._running)
        self.name = process.id.get("name", command)
        self.scale = centipawn_scale(self.name, tells_chances="UCI_ShowWDL" in process.options)

    def search(
        self, board: chess.Board, nodes: int, lines: int = 1, *, moves: bool = False
    ) -> list[Variation]:
        """Return the best `lines` variations, best first, after a search of `nodes` nodes.

        The position is searched as it stands, without the moves that led to it. Fewer variations come
        back where there are fewer legal moves; the position must have one. Unless `moves` are wanted,
        the best variation holds its first move and the others none. Raises `EngineFailedError` when the
        engine dies, hangs or makes no sense; the process is then gone and the next search starts a new
        one.
        """
        position = board.copy(stack=False)
        limit = chess.engine.Limit(nodes=nodes, time=LEAST_SECONDS + nodes / LEAST_NODES_PER_SECOND)
        process = self._running()
        try:
            found = _ask(process, position, limit, lines, moves)
            self.searches += 1
            self.nodes += max((line.get("nodes", 0) for line in found), default=0)
            return [_variation(position, line, self.scale) for line in found]
        except (TimeoutError, chess.engine.EngineError, EngineFailedError) as error:
            self.discard()
            raise EngineFailedError(f"{self.name}: {_reason(error)} at {board.fen()}") from error

    def attempt(self, work: Callable[[], T]) -> T:
        """Return what `work` returns, which is tried again when the engine fails.

        Raises the last `EngineFailedError` when it failed `ATTEMPTS` times.
        """
        for failures in range(ATTEMPTS):
            try:
                return work()
            except EngineFailedError:
                if failures + 1 == ATTEMPTS:
                    raise
                # Randomised, so that many workers do not all come back at the same moment.
                time.sleep(FIRST_PAUSE_SECONDS * 2**failures * random.uniform(0.5, 1.5))
        raise AssertionError("unreachable")

    def discard(self) -> None:
        """End the process without waiting for its consent."""
        if self._process is not None:
            # python-chess reaps the process and closes up when it is gone.
            with suppress(ProcessLookupError):
                self._process.transport.kill()
            self._process = None

    def close(self) -> None:
        """End the process politely, or by force when it does not listen; none is started again."""
        self._closed = True
        if self._process is not None:
            with suppress(TimeoutError, chess.engine.EngineError):
                self._process.quit()
        self.discard()

    def __enter__(self) -> UciEngine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _running(self) -> chess.engine.SimpleEngine:
        if self._process is None:
            self._process = self._start()
        return self._process

    def _start(self) -> chess.engine.SimpleEngine:
        if self._closed:
            raise EngineFailedError(f"{self.command}: closed")
        try:
            # A process group of its own keeps Ctrl-C from reaching the engine.
            process = chess.engine.SimpleEngine.popen_uci(self.command, timeout=self.grace, setpgrp=True)
        except (TimeoutError, chess.engine.EngineError) as error:
            raise EngineFailedError(f"{self.command}: does not answer as a UCI engine") from error
        except OSError as error:
            raise EngineMissingError(f"{self.command}: cannot be started: {error.strerror}") from error
        settings = {"Threads": 1, "Hash": HASH}
        process.configure({name: value for name, value in settings.items() if name in process.options})
        return process


def _ask(
    process: chess.engine.SimpleEngine,
    position: chess.Board,
    limit: chess.engine.Limit,
    lines: int,
    moves: bool,
) -> list[chess.engine.InfoDict]:
    # A game of its own is what empties the hash table.
    game = object()
    if moves:
        return process.analyse(position, limit, multipv=lines, game=game, info=_SCORES_AND_MOVES)
    with process.analysis(position, limit, multipv=lines, game=game, info=_SCORES) as running:
        best = _best_move(process, running, limit)
        if best is None:
            raise EngineFailedError("gave no move")
        found = [running.info, *running.multipv[1:]]
        found[0]["pv"] = [best]
        return found


def _best_move(
    process: chess.engine.SimpleEngine,
    running: chess.engine.SimpleAnalysisResult,
    limit: chess.engine.Limit,
) -> chess.Move | None:
    """Wait for the end of a search, though not for ever, which `SimpleAnalysisResult.wait` would."""
    assert limit.time is not None
    assert process.timeout is not None
    seconds = limit.time + process.timeout

    async def wait() -> chess.engine.BestMove:
        return await asyncio.wait_for(running.inner.wait(), seconds)

    waiting = wait()
    try:
        future = asyncio.run_coroutine_threadsafe(waiting, process.protocol.loop)
    except RuntimeError as error:
        # The loop has ended with the process.
        waiting.close()
        raise chess.engine.EngineTerminatedError("engine is gone") from error
    return future.result().move


def _variation(board: chess.Board, line: chess.engine.InfoDict, scale: float) -> Variation:
    score = line.get("score")
    if score is None:
        raise EngineFailedError("gave no score")
    seen = score.pov(board.turn)
    return Variation(tuple(line.get("pv", ())), seen, win_chance(seen, scale))


def _reason(error: Exception) -> str:
    if isinstance(error, EngineFailedError):
        return str(error)
    if isinstance(error, chess.engine.EngineTerminatedError):
        return "died"
    return "did not answer in time" if isinstance(error, TimeoutError) else "talked nonsense"
