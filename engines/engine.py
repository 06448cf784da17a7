"""A UCI engine: limited searches, in a process that is replaced when it dies or hangs.

Every search has a node limit, which normally ends it, and a time limit, which only catches an engine that
does not answer. A process that failed once is never used again. Each search begins with an empty hash
table, so that its result depends on the position, the budget and `Engine.settings` alone.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import TypeVar

import chess
from chess.engine import Cp, Mate, Score

from chess_motif.errors import EngineFailedError, EngineMissingError
from engines.process import EngineProcess
from engines.winchance import centipawn_scale, win_chance

# Threads of an engine. With more than one, the same search could return different results.
THREADS = 1

# Transposition table in MiB: room for a search of a million nodes. Clearing a larger one takes longer
# than a small search.
HASH = 16

# Time limit of a search: some seconds to start, and this many nodes a second on a computer that is
# busy with other things (an idle core reaches about a million).
LEAST_SECONDS = 5.0
LEAST_NODES_PER_SECOND = 20_000

# Seconds that the engine may take beyond the time limit, or to start, before it counts as hung.
GRACE_SECONDS = 10.0

# Attempts before an engine failure is final. The pause before each further attempt doubles.
ATTEMPTS = 3
FIRST_PAUSE_SECONDS = 0.2

# Plies of a variation that are read: as many as `puzzlegen.verify.solve` shows if there is no verified
# solution. Reading more would take a good part of the time of a small search.
PLIES = 5

T = TypeVar("T")


@dataclass(frozen=True)
class Variation:
    """A variation with its score and win chance (-1…1) from the side to move.

    `moves` has its first plies, from one to `PLIES` of them.
    """

    moves: tuple[chess.Move, ...]
    score: Score
    chance: float

    @property
    def move(self) -> chess.Move:
        """The first move of the variation."""
        return self.moves[0]

    @property
    def mate_in(self) -> int | None:
        """Moves until mate, positive if the side to move mates and negative if it is mated; None: no mate."""
        return self.score.mate()


class Engine:
    """A UCI engine with one thread. Close it, or use it in a `with` statement.

    `nodes` and `searches` are totals over all searches so far, failed attempts included.
    """

    def __init__(self, command: str, *, grace: float = GRACE_SECONDS) -> None:
        """Start the engine at path `command`; raises `EngineMissingError`, `EngineFailedError`.

        `grace` is how many seconds it may take beyond the time limit of a search, or to start.
        """
        self.command = command
        self.grace = grace
        self.nodes = 0
        self.searches = 0
        self._closed = False
        self._process: EngineProcess | None = None
        process = self.attempt(self._running)
        self.name = process.name
        self.scale = centipawn_scale(self.name, shows_wdl="UCI_ShowWDL" in process.options)

    @property
    def settings(self) -> str:
        """What the result of a search depends on besides the position and the budget."""
        return f"{self.name}, Threads {THREADS}, Hash {HASH}, {PLIES} plies"

    def search(self, board: chess.Board, nodes: int, lines: int = 1) -> list[Variation]:
        """Return the best `lines` variations, best first, after a search of `nodes` nodes.

        The position is searched without the moves that led to it. It must have a legal move; if it has fewer
        than `lines`, fewer variations are returned. Raises `EngineFailedError` if the engine dies, hangs or
        sends output that cannot be read; its process is then killed, and the next search starts a new one.
        """
        seconds = LEAST_SECONDS + nodes / LEAST_NODES_PER_SECOND
        try:
            process = self._running()
            # Engines empty their hash table at `ucinewgame`.
            process.send(f"setoption name MultiPV value {lines}", "ucinewgame", "isready")
            for _ in process.lines_until("readyok", self.grace):
                pass
            process.send(f"position fen {board.fen()}", f"go nodes {nodes} movetime {round(1000 * seconds)}")
            infos = _last_infos(process.lines_until("bestmove", seconds + self.grace))
            self.searches += 1
            self.nodes += max((_number_after(line, "nodes") for line in infos), default=0)
            if not infos:
                raise EngineFailedError("gave no score")
            return [_variation(board, line, self.scale) for line in infos]
        except EngineFailedError as error:
            self.discard()
            raise EngineFailedError(f"{self.name}: {error} at {board.fen()}") from error

    def attempt(self, work: Callable[[], T]) -> T:
        """Return what `work` returns; it is called again if the engine fails.

        Raises the last `EngineFailedError` after `ATTEMPTS` failures.
        """
        for failures in range(ATTEMPTS):
            try:
                return work()
            except EngineFailedError:
                if failures + 1 == ATTEMPTS:
                    raise
                # Random, so that many workers do not all try again at the same moment.
                time.sleep(FIRST_PAUSE_SECONDS * 2**failures * random.uniform(0.5, 1.5))
        raise AssertionError("unreachable")

    def discard(self) -> None:
        """Kill the process. The next search starts a new one."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def close(self) -> None:
        """Ask the process to quit, and kill it if it does not. No new one is started."""
        self._closed = True
        if self._process is not None:
            self._process.quit(self.grace)
            self._process = None

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _running(self) -> EngineProcess:
        if self._process is None:
            self._process = self._start()
        return self._process

    def _start(self) -> EngineProcess:
        if self._closed:
            raise EngineFailedError("closed")
        try:
            process = EngineProcess(self.command, self.grace)
        except EngineFailedError as error:
            raise EngineFailedError(f"{self.command}: does not answer as a UCI engine") from error
        except OSError as error:
            raise EngineMissingError(f"{self.command}: cannot be started: {error.strerror}") from error
        options = {"Threads": THREADS, "Hash": HASH}
        supported = {name: value for name, value in options.items() if name in process.options}
        process.send(*(f"setoption name {name} value {value}" for name, value in supported.items()))
        return process


def _last_infos(lines: Iterable[str]) -> list[str]:
    """Return the last `info` line with a score for each variation, best first."""
    infos = {}
    for line in lines:
        if line.startswith("info ") and " score " in line and " pv " in line:
            infos[_number_after(line, "multipv") if " multipv " in line else 1] = line
    return [infos[number] for number in sorted(infos)]


def _variation(board: chess.Board, info: str, scale: float) -> Variation:
    """Parse a line such as `info … score cp 31 … pv e2e4 e7e5`, whose score is that of the side to move."""
    value = _number_after(info, "score cp" if " score cp " in info else "score mate")
    score = Cp(value) if " score cp " in info else Mate(value)
    position, moves = board.copy(stack=False), []
    for uci in info.partition(" pv ")[2].split()[:PLIES]:
        try:
            moves.append(position.push_uci(uci))
        except ValueError as error:
            raise EngineFailedError(f"plays {uci}, which is not a legal move") from error
    return Variation(tuple(moves), score, win_chance(score, scale))


def _number_after(info: str, key: str) -> int:
    """Return the number that follows `key` in an `info` line."""
    try:
        return int(info.partition(f" {key} ")[2].split(maxsplit=1)[0])
    except (IndexError, ValueError) as error:
        raise EngineFailedError("sent a line that cannot be read") from error
