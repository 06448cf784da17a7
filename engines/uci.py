"""One UCI engine process behind one small class: bounded searches, replaced when it dies or hangs.

Every search has a node limit, which decides, and a time cap, which only catches an engine that does
not come back. A process that failed once is never used again. Each search begins with an empty hash
table, so that what it finds depends on the position, the engine and the budget alone.
"""

from __future__ import annotations

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

# Plies of a variation that are read: as many as a solution without proof takes. Reading moves takes a
# good part of the time of a small search.
PLIES = 5
_SCORES_AND_MOVES = chess.engine.INFO_BASIC | chess.engine.INFO_SCORE | chess.engine.INFO_PV

# Failures become exceptions here; python-chess need not report them a second time.
logging.getLogger("chess.engine").addHandler(logging.NullHandler())

T = TypeVar("T")


@dataclass(frozen=True)
class Variation:
    """A line of play and what it is worth to the side to move: its score, and win chance (-1…1).

    `moves` are its first `PLIES` plies at most, and one at least.
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


class _LastScores(chess.engine.UciProtocol):
    """Reads of each variation only what the engine says last, and of its moves only the first.

    Reading all of it takes a fifth of the time of a small search.
    """

    def __init__(self) -> None:
        super().__init__()
        self._scores: dict[str, str] = {}

    def _line_received(self, line: str) -> None:
        if line.startswith("info ") and " score " in line:
            number = line.partition(" multipv ")[2].partition(" ")[0]
            self._scores[number] = line
            return
        if line.startswith("bestmove"):
            for score in self._scores.values():
                told, _, moves = score.partition(" pv ")
                super()._line_received(f"{told} pv {' '.join(moves.split()[:PLIES])}")
            self._scores.clear()
        super()._line_received(line)


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

    def search(self, board: chess.Board, nodes: int, lines: int = 1) -> list[Variation]:
        """Return the best `lines` variations, best first, after a search of `nodes` nodes.

        The position is searched as it stands, without the moves that led to it. Fewer variations come
        back where there are fewer legal moves; the position must have one. Raises `EngineFailedError` when
        the engine dies, hangs or makes no sense; the process is then gone and the next search starts a
        new one.
        """
        position = board.copy(stack=False)
        limit = chess.engine.Limit(nodes=nodes, time=LEAST_SECONDS + nodes / LEAST_NODES_PER_SECOND)
        process = self._running()
        try:
            # A game of its own is what empties the hash table.
            found = process.analyse(position, limit, multipv=lines, game=object(), info=_SCORES_AND_MOVES)
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
            process = chess.engine.SimpleEngine.popen(
                _LastScores, self.command, timeout=self.grace, setpgrp=True
            )
        except (TimeoutError, chess.engine.EngineError) as error:
            raise EngineFailedError(f"{self.command}: does not answer as a UCI engine") from error
        except OSError as error:
            raise EngineMissingError(f"{self.command}: cannot be started: {error.strerror}") from error
        settings = {"Threads": 1, "Hash": HASH}
        process.configure({name: value for name, value in settings.items() if name in process.options})
        return process


def _variation(board: chess.Board, line: chess.engine.InfoDict, scale: float) -> Variation:
    score, moves = line.get("score"), line.get("pv")
    if score is None or not moves:
        raise EngineFailedError("gave no score or no move")
    seen = score.pov(board.turn)
    return Variation(tuple(moves), seen, win_chance(seen, scale))


def _reason(error: Exception) -> str:
    if isinstance(error, EngineFailedError):
        return str(error)
    if isinstance(error, chess.engine.EngineTerminatedError):
        return "died"
    return "did not answer in time" if isinstance(error, TimeoutError) else "talked nonsense"
