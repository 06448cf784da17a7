"""Killing a process of a run that has stored its first games and waits: no moment has to be hit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from chess_motif.progress import Progress
from tests.helpers.paths import ROOT
from tests.helpers.processes import processes_of
from tests.helpers.systems import skip_without_proc


class PausingProgress(Progress):
    """Prints a line when the first games are stored, and waits for one before the run goes on."""

    def __init__(self) -> None:
        self._paused = False

    def update(self, name: str, done: int, total: int | None, unit: str, detail: str = "") -> None:
        if not self._paused:
            self._paused = True
            print("stored", flush=True)
            sys.stdin.readline()


def status_after_kill(victim: str, module: str, *arguments: str) -> int:
    """Run a module that shows a `PausingProgress`, and kill one process of it; return its exit status.

    `victim` is one of the `tests.helpers.processes.KINDS`.
    """
    skip_without_proc()
    command = [sys.executable, "-m", module, *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "stored\n"
        os.kill(processes_of(process.pid, victim)[0], signal.SIGKILL)
        process.communicate("\n")
    return process.returncode
