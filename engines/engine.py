"""One UCI engine process behind one small class: bounded searches, replaced when it dies or hangs.

Every search has a node limit, which decides, and a time cap, which only catches an engine that does
not come back. A process that failed once is never used again. Each search begins with an empty hash
table, so that what it finds depends on the position, the engine and the budget alone.
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

T = TypeVar("T")


@dataclass(frozen=True)
class Variation:
    """A line of play and what it is worth to the side to move: its score, and win chance (-1…1).

    `moves` are its first `PLIES` plies at most, and one at least.
    """

    moves: tuple[chess.Move, ...]
    score: Score
    chance: float

    @property
    def move(self) -> chess.Move:
        """The first move of the line."""
        return self.moves[0]

    @property
    def mate_in(self) -> int | None:
        """Moves until mate: positive when the side to move mates, negative when it is mated."""
        return self.score.mate()


class Engine:
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
        self._pipe: EngineProcess | None = None
        pipe = self.attempt(self._running)
        self.name = pipe.name
        self.scale = centipawn_scale(self.name, tells_chances="UCI_ShowWDL" in pipe.options)

    def search(self, board: chess.Board, nodes: int, lines: int = 1) -> list[Variation]:
        """Return the best `lines` variations, best first, after a search of `nodes` nodes.

        The position is searched as it stands, without the moves that led to it. Fewer variations come
        back where there are fewer legal moves; the position must have one. Raises `EngineFailedError` when
        the engine dies, hangs or makes no sense; the process is then gone and the next search starts a
        new one.
        """
        seconds = LEAST_SECONDS + nodes / LEAST_NODES_PER_SECOND
        try:
            pipe = self._running()
            # What `ucinewgame` is for is an empty hash table.
            pipe.send(f"setoption name MultiPV value {lines}", "ucinewgame", "isready")
            for _ in pipe.lines_until("readyok", self.grace):
                pass
            pipe.send(f"position fen {board.fen()}", f"go nodes {nodes} movetime {round(1000 * seconds)}")
            told = _last_told(pipe.lines_until("bestmove", seconds + self.grace))
            self.searches += 1
            self.nodes += max((_number_after(line, "nodes") for line in told), default=0)
            if not told:
                raise EngineFailedError("gave no score")
            return [_variation(board, line, self.scale) for line in told]
        except EngineFailedError as error:
            self.discard()
            raise EngineFailedError(f"{self.name}: {error} at {board.fen()}") from error

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
        if self._pipe is not None:
            self._pipe.kill()
            self._pipe = None

    def close(self) -> None:
        """End the process politely, or by force when it does not listen; none is started again."""
        self._closed = True
        if self._pipe is not None:
            self._pipe.quit(self.grace)
            self._pipe = None

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _running(self) -> EngineProcess:
        if self._pipe is None:
            self._pipe = self._start()
        return self._pipe

    def _start(self) -> EngineProcess:
        if self._closed:
            raise EngineFailedError("closed")
        try:
            pipe = EngineProcess(self.command, self.grace)
        except EngineFailedError as error:
            raise EngineFailedError(f"{self.command}: does not answer as a UCI engine") from error
        except OSError as error:
            raise EngineMissingError(f"{self.command}: cannot be started: {error.strerror}") from error
        settings = {"Threads": 1, "Hash": HASH}
        known = {name: value for name, value in settings.items() if name in pipe.options}
        pipe.send(*(f"setoption name {name} value {value}" for name, value in known.items()))
        return pipe


def _last_told(said: Iterable[str]) -> list[str]:
    """Return of all that an engine says the last line on each variation, best first."""
    last = {}
    for line in said:
        if line.startswith("info ") and " score " in line and " pv " in line:
            last[_number_after(line, "multipv") if " multipv " in line else 1] = line
    return [last[number] for number in sorted(last)]


def _variation(board: chess.Board, line: str, scale: float) -> Variation:
    """Read a variation such as `info … score cp 31 … pv e2e4 e7e5`; the score is the mover's."""
    value = _number_after(line, "score cp" if " score cp " in line else "score mate")
    score = Cp(value) if " score cp " in line else Mate(value)
    position, moves = board.copy(stack=False), []
    for text in line.partition(" pv ")[2].split()[:PLIES]:
        try:
            moves.append(position.push_uci(text))
        except ValueError as error:
            raise EngineFailedError(f"plays {text}, which is no move") from error
    return Variation(tuple(moves), score, win_chance(score, scale))


def _number_after(line: str, word: str) -> int:
    """Return the number that follows a word in what an engine says."""
    try:
        return int(line.partition(f" {word} ")[2].split(maxsplit=1)[0])
    except (IndexError, ValueError) as error:
        raise EngineFailedError("talked nonsense") from error
