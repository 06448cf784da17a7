"""The processes of a mining run, found in /proc: what it started, and which of them is what."""

from __future__ import annotations

from pathlib import Path

from tests.helpers.systems import PROC, skip_without_proc

# The process of the command, those that mine the games, and the engines.
RUN, WORKER, ENGINE = KINDS = ("run", "worker", "engine")


def processes_of(run: int, kind: str) -> list[int]:
    """Return the processes of one of the `KINDS` in a mining run; `run` is the first one's id."""
    if kind == RUN:
        return [run]
    workers = [pid for pid in children(run) if "spawn_main" in command_line(pid)]
    return workers if kind == WORKER else [engine for pid in workers for engine in children(pid)]


def children(pid: int) -> list[int]:
    skip_without_proc()
    return [
        int(entry.name)
        for entry in PROC.iterdir()
        if entry.name.isdigit() and f"\nPPid:\t{pid}\n" in _read(entry / "status")
    ]


def descendants(pid: int) -> list[int]:
    return [found for child in children(pid) for found in (child, *descendants(child))]


def command_line(pid: int) -> str:
    return _read(PROC / str(pid) / "cmdline").replace("\0", " ")


def _read(path: Path) -> str:
    # Processes come and go while they are looked at.
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
