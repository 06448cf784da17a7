"""Killing a program, to see which of the processes that it started are left."""

from __future__ import annotations

import subprocess
import sys
import time

from tests.helpers.paths import ROOT
from tests.helpers.processes import command_line, descendants
from tests.helpers.systems import PROC, skip_without_proc

# Seconds that the others may take to end.
PATIENCE = 60


def orphans(program: str, *expected: str) -> list[str]:
    """Run a Python program, kill it, and return the command lines of what it leaves behind.

    It is killed once it has started processes with each of `expected` in their command lines.
    """
    skip_without_proc()
    process = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT)
    started: dict[int, str] = {}
    while not all(any(words in line for line in started.values()) for words in expected):
        assert process.poll() is None
        time.sleep(0.05)
        started = {pid: command_line(pid) for pid in descendants(process.pid)}
    process.kill()
    process.wait()
    deadline = time.monotonic() + PATIENCE
    while (left := [pid for pid in started if _runs(pid)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return [started[pid] for pid in left]


def _runs(pid: int) -> bool:
    try:
        state = (PROC / str(pid) / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
