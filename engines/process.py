"""The process of a UCI engine: sending it lines, and reading its output with a time limit.

Why not python-chess' client: it parses every line that the engine sends, on an event loop in another
thread. That costs four times as much Python time per search (2.8 ms instead of 0.7, where a search of
5,000 nodes takes 13), and 9 % of all CPU time of mining unselected games. See
`benchmarks.engine_client`.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from chess_motif.errors import EngineFailedError
from chess_motif.text import clean

# Seconds between checks of the time limit. A timer for each search would cost a quarter of our own time.
WATCH_EVERY = 0.2

# An answer has at most this many bytes. The longest searches need a few hundred thousand.
MOST_BYTES = 2**24

# A process group of its own keeps Ctrl-C from reaching the engine.
if sys.platform == "win32":
    _FLAGS, _GROUP = subprocess.CREATE_NEW_PROCESS_GROUP, None
else:
    _FLAGS, _GROUP = 0, 0


class EngineProcess:
    """An engine process. Its methods raise `EngineFailedError` if it has died or does not answer.

    `name` is what the engine calls itself, `options` has the names of its options.
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
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        self.name = clean(Path(command).name)
        self.options: set[str] = set()
        self._deadline, self._overdue, self._gone = math.inf, False, Event()
        Thread(target=self._watch, daemon=True).start()
        try:
            self.send("uci")
            for line in self.lines_until("uciok", seconds):
                if line.startswith("id name "):
                    self.name = clean(line.removeprefix("id name ")).strip()
                elif line.startswith("option name "):
                    self.options.add(line.removeprefix("option name ").partition(" type ")[0])
        except EngineFailedError:
            self.kill()
            raise

    def send(self, *lines: str) -> None:
        """Send lines to the engine."""
        try:
            self._input.write("".join(f"{line}\n" for line in lines).encode())
            self._input.flush()
        except OSError as error:
            raise EngineFailedError("died") from error

    def lines_until(self, last: str, seconds: float) -> Iterator[str]:
        """Yield the lines that the engine sends, up to and including the one that begins with `last`.

        An engine that takes longer than `seconds` is killed.
        """
        self._deadline = time.monotonic() + seconds
        left = MOST_BYTES
        while True:
            raw = self._output.readline(left)
            left -= len(raw)
            if not left:
                raise EngineFailedError(f"sent more than {MOST_BYTES:,} bytes at once")
            if not raw:
                raise EngineFailedError("did not answer in time" if self._overdue else "died")
            line = raw.decode(errors="replace").strip()
            yield line
            if line.startswith(last):
                self._deadline = math.inf
                return

    def kill(self) -> None:
        """Kill the process, and those that it started."""
        self._gone.set()
        self._kill_group()
        self._process.wait()
        for pipe in (self._input, self._output):
            # Closing the input flushes its buffer to a process that no longer reads.
            with suppress(OSError):
                pipe.close()

    def quit(self, seconds: float) -> None:
        """Ask the engine to quit, and kill it if it has not done so after `seconds`."""
        with suppress(EngineFailedError, subprocess.TimeoutExpired):
            self.send("quit")
            self._process.wait(seconds)
        self.kill()

    def _watch(self) -> None:
        # Killing the process ends the wait for its next line.
        while not self._gone.wait(WATCH_EVERY):
            if time.monotonic() > self._deadline:
                self._overdue = True
                self._kill_group()
                return

    def _kill_group(self) -> None:
        """Kill what has been started: often a script that starts the engine, which keeps the output open."""
        if sys.platform == "win32":
            self._process.kill()
        elif self._process.poll() is None:
            # The process has not been waited for, so that the number of its group is its own.
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
