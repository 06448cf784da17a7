"""A UCI engine: limited searches, in a process that is replaced when it dies or hangs.

Every search has a node limit, which normally ends the search, and a time limit, which only catches an engine
that hangs; a depth limit is optional. An engine that says nothing at all is caught earlier. A process that
failed is never used again: the search is repeated by a new process. No process outlives the work that it was
started for. Each search begins with an empty hash table, so that its result depends on the position, the
limits and `Engine.settings` alone.

python-chess' client is not used because it parses every line that the engine sends, on an event loop in
another thread. That cost four times as much Python time per search (2.8 ms instead of 0.7, where a search of
5,000 nodes takes 13), and 9 % of all CPU time of mining unselected games, when it was measured.
"""

from __future__ import annotations

import math
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Protocol, TypeVar

import chess

from chess_motif import arguments
from chess_motif.errors import EngineFailedError, EngineMissingError, InputError
from chess_motif.parallel import process_groups
from chess_motif.text import clean
from engines.finding import find_engine
from engines.options import WITHOUT_EFFECT, EngineChoice, EngineSetup, UciOption, checked_options
from engines.winchance import centipawn_scale, win_chance

if TYPE_CHECKING:
    from chess.engine import Score

# Threads of an engine. With more than one, the same search could return different results.
THREADS = 1

# Transposition table in MiB: room for a search of a million nodes. Clearing a larger one takes longer
# than a small search.
HASH = 16

# The time limit of a search: some seconds to start, and the time at this many nodes a second, as on a busy
# computer (an idle core reaches about a million).
LEAST_SECONDS = 5.0
LEAST_NODES_PER_SECOND = 20_000

# Seconds that the engine may take beyond the time limit, to start, or to say its first word in a search,
# before it counts as hung. The first word is about depth 1, after some milliseconds.
GRACE_SECONDS = 10.0

# The largest numbers that an engine may send: centipawns (some engines write mates as tens of thousands),
# moves to mate (the longest known mate takes 549), and nodes.
MOST_CENTIPAWNS = 1_000_000
MOST_MOVES_TO_MATE = 1_000
MOST_NODES = 10**12

# Characters of an engine's name that are read. The name is stored with every search.
LONGEST_NAME = 100

# Characters of the description of an option that are read.
LONGEST_OPTION = 1_000

# Characters of a wrong word that an error quotes.
LONGEST_QUOTE = 20

# Attempts before the failure of a search is final. The pause before each further attempt doubles.
ATTEMPTS = 3
FIRST_PAUSE_SECONDS = 0.2

# Plies of a variation that are read: as many as `puzzlegen.verify.idea` shows of a position without a
# tactic. Reading more would take a good part of the time of a small search.
PLIES = 5

# Seconds between checks of the time limit. A timer for each search would add a quarter to our own time.
WATCH_EVERY = 0.2

# The most bytes of an answer. The longest searches need a few hundred thousand.
MOST_BYTES = 2**24
# A line counts as at least this many bytes: a flood of empty lines keeps us busy, too.
LEAST_BYTES = 256

# A process group of its own keeps Ctrl-C from reaching the engine.
if sys.platform == "win32":
    _FLAGS, _GROUP = subprocess.CREATE_NEW_PROCESS_GROUP, None
else:
    _FLAGS, _GROUP = 0, 0

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
        """Moves to mate, positive if the side to move mates, negative if it is mated, None without a mate."""
        return self.score.mate()


class Until(Protocol):
    """Says after each iteration of a search whether the search may end."""

    @property
    def key(self) -> str:
        """A text that is equal for equal decisions: stored searches are found by this key."""

    def __call__(self, nodes: int, variations: Sequence[Variation]) -> bool:
        """Return whether these variations, after so many nodes, are enough."""


class Engine:
    """A UCI engine with one thread. Close it, or use it in a `with` statement.

    `nodes` and `searches` are totals over all searches so far, failed attempts included.
    """

    def __init__(self, engine: EngineChoice = None, *, grace: float = GRACE_SECONDS) -> None:
        """Start an engine: a path, a command name or an `EngineSetup` (default: Stockfish, if installed).

        `grace` is how many seconds the engine may take beyond the time limit of a search, to start, or to say
        its first word in a search. Raises `EngineMissingError`, `EngineFailedError`, and `InputError` for
        options that the engine does not take.
        """
        setup = engine if isinstance(engine, EngineSetup) else EngineSetup(engine)
        self.command = find_engine(setup.command)
        self._chosen, self.options = setup.options, dict[str, str]()
        self.grace = grace
        self.nodes = 0
        self.searches = 0
        self._closed = False
        self._process: EngineProcess | None = None
        process = self._attempt(self._running)
        self.name = process.name
        self.scale = centipawn_scale(self.name, shows_wdl="UCI_ShowWDL" in process.options)

    @property
    def settings(self) -> str:
        """What the result of a search depends on besides the position and the budget."""
        others = {name: value for name, value in self.options.items() if name not in WITHOUT_EFFECT}
        size = others.pop("Hash", HASH)
        return _listed(f"{self.name}, Threads {THREADS}, Hash {size}, {PLIES} plies", others)

    @property
    def label(self) -> str:
        """The name of the engine, and the options that were chosen."""
        return _listed(self.name, self.options)

    def search(
        self,
        board: chess.Board,
        nodes: int,
        lines: int = 1,
        depth: int | None = None,
        until: Until | None = None,
    ) -> list[Variation]:
        """Return the best `lines` variations, best first, after a search of `nodes` nodes.

        The search ends at `depth` plies, if given, unless it reaches `nodes` first. With `until`, the search
        ends after the first iteration for which `until` returns True. The position is searched without the
        moves that led to it, and must have a legal move; there are no more variations than legal moves.

        Raises `InputError` for limits below 1, and `EngineFailedError` if the engine dies, hangs or sends
        something unreadable or impossible in each of `ATTEMPTS` attempts, each with a new process.
        """
        arguments.at_least(1, nodes=nodes, lines=lines, depth=depth)
        return self._attempt(lambda: self._search(board, nodes, lines, depth, until))

    def discard(self) -> None:
        """Kill the process. The next search starts a new one."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def close(self) -> None:
        """Ask the process to quit, and kill it if it does not quit."""
        self._closed = True
        if self._process is not None:
            self._process.quit(self.grace)
            self._process = None

    def __repr__(self) -> str:
        return f"<Engine {self.command}>"

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            # The engine may be busy or hung, and would take long to quit.
            self.discard()
        self.close()

    def _search(
        self, board: chess.Board, nodes: int, lines: int, depth: int | None, until: Until | None
    ) -> list[Variation]:
        """Search once. Kills the process and raises `EngineFailedError` if the search fails."""
        seconds = LEAST_SECONDS + nodes / LEAST_NODES_PER_SECOND
        try:
            process = self._running()
            # Engines empty their hash table at `ucinewgame`.
            process.send(f"setoption name MultiPV value {lines}", "ucinewgame", "isready")
            for line in process.lines_until("readyok", self.grace):
                if line.startswith("bestmove"):
                    raise EngineFailedError("answered once more")
            limits = f"nodes {nodes} movetime {round(1000 * seconds)}"
            if depth is not None:
                limits += f" depth {depth}"
            process.send(f"position fen {board.fen()}", f"go {limits}")
            output = process.lines_until("bestmove", seconds + self.grace, LEAST_SECONDS + self.grace)
            infos: dict[int, str] = {}
            seen: list[tuple[int, str]] = []
            enough: list[Variation] = []
            for number, infos in _infos(output, lines):
                seen.append((number, infos[number]))
                if until is not None and not enough and _ends_iteration(number, board, infos, lines):
                    variations = self._variations(board, infos)
                    if until(_nodes(infos), variations):
                        enough = variations
                        process.send("stop")
            self.searches += 1
            _check_count(board, infos, lines)
            self.nodes += _nodes(infos)
            return enough or self._variations(board, _without_bounds(infos, seen))
        except EngineFailedError as error:
            self.discard()
            raise EngineFailedError(f"{self.name}: {error} at {board.fen()}") from error

    def _variations(self, board: chess.Board, infos: Mapping[int, str]) -> list[Variation]:
        variations = [_variation(board, infos[number], self.scale) for number in sorted(infos)]
        if len({variation.move for variation in variations}) < len(variations):
            raise EngineFailedError("gave the same move in two variations")
        return variations

    def _attempt(self, work: Callable[[], T]) -> T:
        """Return the result of `work`. Raises the last `EngineFailedError` if it fails `ATTEMPTS` times."""
        for failures in range(ATTEMPTS):
            try:
                return work()
            except EngineFailedError:
                if failures + 1 == ATTEMPTS or self._closed:
                    raise
                # The pauses are random, so that workers do not all try again at the same moment.
                time.sleep(FIRST_PAUSE_SECONDS * 2**failures * random.uniform(0.5, 1.5))
        raise AssertionError("unreachable")

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
        try:
            self.options = checked_options(self._chosen, process.options, process.name)
        except InputError:
            process.kill()
            raise
        options = {"Threads": THREADS, "Hash": HASH} | self.options
        supported = {name: value for name, value in options.items() if name in process.options}
        process.send(*(f"setoption name {name} value {value}" for name, value in supported.items()))
        return process


def _listed(name: str, options: Mapping[str, str]) -> str:
    return ", ".join([name, *(f"{option} {options[option]}" for option in sorted(options))])


def _infos(output: Iterable[str], lines: int) -> Iterator[tuple[int, dict[int, str]]]:
    """Yield the variation's number of each `info` line with a score, and the last line of each variation."""
    infos: dict[int, str] = {}
    for line in output:
        # What comes after `string` is text for people.
        line = line.partition(" string ")[0]
        if line.startswith("info ") and " score " in line and " pv " in line:
            number = _number_after(line, "multipv", 1, lines) if " multipv " in line else 1
            infos[number] = line
            yield number, infos


def _ends_iteration(number: int, board: chess.Board, infos: Mapping[int, str], lines: int) -> bool:
    """Return whether the variation with this number is the last one of an iteration."""
    # Variations are sent one by one: before the last one, those of two iterations are mixed.
    if number != len(infos) or number != _expected(board, infos, lines):
        return False
    depths = {_number_after(line, "depth", 0, MOST_NODES) for line in infos.values()}
    return len(depths) == 1 and not any(map(_is_bound, infos.values()))


def _is_bound(info: str) -> bool:
    """Return whether the score of an `info` line is only a lower or an upper bound."""
    return " lowerbound" in info or " upperbound" in info


def _without_bounds(infos: Mapping[int, str], seen: Sequence[tuple[int, str]]) -> Mapping[int, str]:
    """Return the last line of each variation with an exact score, or its last bound if none was `seen`.

    If two variations then begin with the same move, because one line is of an earlier iteration, the latest
    lines that begin with different moves are returned.
    """
    if not any(map(_is_bound, infos.values())):
        return infos
    last, moves = dict[int, str](), dict[int, str]()
    for number, line in seen:
        if not _is_bound(line) or _is_bound(last.get(number, line)):
            last[number], moves[number] = line, line.partition(" pv ")[2].split(maxsplit=1)[0]
        if len(set(moves.values())) == len(infos):
            infos = dict(last)
    return infos


def _nodes(infos: Mapping[int, str]) -> int:
    return max(_number_after(line, "nodes", 0, MOST_NODES) for line in infos.values())


def _expected(board: chess.Board, infos: Mapping[int, str], lines: int) -> int:
    """Return how many variations there must be: `lines`, or one for each legal move if those are fewer."""
    # Counting the legal moves takes time, and is rarely necessary.
    return lines if len(infos) == lines else max(1, min(lines, board.legal_moves.count()))


def _check_count(board: chess.Board, infos: Mapping[int, str], lines: int) -> None:
    """Raise `EngineFailedError` unless there are as many variations as expected, and at least one."""
    expected = _expected(board, infos, lines)
    if len(infos) < expected:
        raise EngineFailedError(f"gave {len(infos)} of {expected} variations" if infos else "gave no score")


def _variation(board: chess.Board, info: str, scale: float) -> Variation:
    """Parse a line such as `info … score cp 31 … pv e2e4 e7e5`. Scores are those of the side to move."""
    score = _score(info)
    position, moves = board.copy(stack=False), []
    for uci in info.partition(" pv ")[2].split(maxsplit=PLIES)[:PLIES]:
        try:
            moves.append(position.push_uci(uci))
        except ValueError as error:
            if moves and isinstance(error, chess.InvalidMoveError):
                # The rest of the line is about something else.
                break
            raise EngineFailedError(f"plays {uci[:LONGEST_QUOTE]}, which is not a legal move") from error
    if not all(moves):
        raise EngineFailedError("plays a null move")
    return Variation(tuple(moves), score, win_chance(score, scale))


def _score(info: str) -> Score:
    # Imported only here: commands that search for puzzles import this module, but start no engine.
    from chess.engine import Cp, Mate

    if " score cp " in info:
        return Cp(_number_after(info, "score cp", -MOST_CENTIPAWNS, MOST_CENTIPAWNS))
    moves = _number_after(info, "score mate", -MOST_MOVES_TO_MATE, MOST_MOVES_TO_MATE)
    if moves == 0:
        raise EngineFailedError("sent score mate 0 for a position with legal moves")
    return Mate(moves)


def _number_after(info: str, key: str, least: int, most: int) -> int:
    """Return the number that follows `key` in an `info` line, which must be from `least` to `most`."""
    words = info.partition(f" {key} ")[2].split(maxsplit=1)
    try:
        number = int(words[0])
    except (IndexError, ValueError):
        number = most + 1
    if not least <= number <= most:
        word = "".join(words[:1])[:LONGEST_QUOTE]
        raise EngineFailedError(f"sent {key} {word}, not a number from {least} to {most}")
    return number


# Raised by a pipe whose process has ended, or that another thread has closed.
_GONE = (OSError, ValueError)


class EngineProcess:
    """An engine process. The methods raise `EngineFailedError` if it has died or does not answer.

    `name` is the engine's own name, `options` has the options that the engine announces, by name.
    """

    def __init__(self, command: str, seconds: float) -> None:
        """Start the engine at path `command`, which must answer `uci` within `seconds`.

        Raises `OSError` if there is no such program.
        """
        self._process = subprocess.Popen(
            [command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=_FLAGS,
            process_group=_GROUP,
        )
        process_groups.add(self._process.pid)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        self.name = clean(Path(command).name)
        self.options: dict[str, UciOption] = {}
        self._deadline, self._overdue, self._gone = math.inf, False, Event()
        Thread(target=self._watch, daemon=True).start()
        try:
            self.send("uci")
            for line in self.lines_until("uciok", seconds):
                if line.startswith("id name "):
                    self.name = clean(line[:LONGEST_NAME].removeprefix("id name ")).strip()
                else:
                    option = UciOption.announced(line[:LONGEST_OPTION])
                    self.options |= {option.name: option} if option else {}
        except BaseException:
            self.kill()
            raise

    def send(self, *lines: str) -> None:
        """Send lines to the engine."""
        try:
            self._input.write("".join(f"{line}\n" for line in lines).encode())
            self._input.flush()
        except _GONE as error:
            raise EngineFailedError("died") from error

    def lines_until(self, last: str, seconds: float, silence: float = math.inf) -> Iterator[str]:
        """Yield the lines that the engine sends, up to and including the one that begins with `last`.

        The engine is killed if it takes longer than `seconds`, or sends no line for `silence` seconds.
        """
        began = time.monotonic()
        self._deadline = began + min(seconds, silence)
        left = MOST_BYTES
        while True:
            try:
                raw = self._output.readline(left)
            except _GONE as error:
                raise EngineFailedError("died") from error
            left -= max(len(raw), LEAST_BYTES)
            if left <= 0:
                lines = MOST_BYTES // LEAST_BYTES
                raise EngineFailedError(f"sent more than {MOST_BYTES:,} bytes or {lines:,} lines at once")
            if not raw:
                raise EngineFailedError("did not answer in time" if self._overdue else "died")
            self._deadline = began + seconds
            line = raw.decode(errors="replace").strip()
            yield line
            if line.startswith(last):
                self._deadline = math.inf
                return

    def kill(self) -> None:
        """Kill the process and its children."""
        self._gone.set()
        self._kill_group()
        self._process.wait()
        process_groups.discard(self._process.pid)
        for pipe in (self._input, self._output):
            # Closing the input flushes its buffer to a process that no longer reads.
            with suppress(OSError):
                pipe.close()

    def quit(self, seconds: float) -> None:
        """Ask the engine to quit, and kill it if it has not done so after `seconds`."""
        try:
            with suppress(EngineFailedError, subprocess.TimeoutExpired):
                self.send("quit")
                self._process.wait(seconds)
        finally:
            self.kill()

    def _watch(self) -> None:
        # Killing the process ends the wait for its next line.
        while not self._gone.wait(WATCH_EVERY):
            if time.monotonic() > self._deadline:
                self._overdue = True
                self._kill_group()
                return

    def _kill_group(self) -> None:
        """Kill the whole group: the process is often a script, and the engine would keep the output open."""
        # A process that has not been waited for keeps its number, and its group's, to itself.
        if self._process.poll() is not None:
            return
        if sys.platform == "win32":
            command = ["taskkill", "/F", "/T", "/PID", str(self._process.pid)]
            subprocess.run(command, capture_output=True, check=False)
            self._process.kill()
        else:
            # macOS forbids it where all have ended.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
