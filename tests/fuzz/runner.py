"""Runs inputs in processes of their own, so that one that kills or fills its process is found, too."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import FrameType
from typing import NamedTuple, Never

from tests.fuzz.case import Files, FuzzCase, Target, UnacceptableError
from tests.fuzz.targets import TARGETS, input_of
from tests.helpers.paths import ROOT

# Where faults are looked for.
PACKAGES = ("chess_motif/", "db/", "engines/", "motifsearch/", "puzzlegen/")

# Seconds of wall time after which a process is killed: it waits for something that will not happen.
WALL_SECONDS = 120

# Bytes that a process may allocate, so that one that asks for more and more does not disturb others.
MOST_BYTES = 4 << 30

# The file for what a process writes to its stderr.
_ERRORS = "stderr"

# The folder of the input in hand.
_CASE = "case"

# Threads of OpenBLAS that wait for one another on a busy computer take CPU time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Forked from a process that has imported everything, which takes a second, and done nothing.
_processes = get_context("forkserver")
_processes.set_forkserver_preload(["tests.fuzz.targets"])


class FuzzJob(NamedTuple):
    """An input, which depends on nothing else: a seed, the name of its target, and its number."""

    seed: int
    target: str
    number: int


class Limits(NamedTuple):
    """What an input may cost: seconds of CPU time, and MiB of memory for its whole process."""

    seconds: float = 5.0
    memory: float = 500.0


LIMITS = Limits()


@dataclass(frozen=True)
class FuzzResult:
    """What an input cost: its CPU time, and the most memory of its process so far.

    `fault` says what went wrong and where, the same for all inputs with this fault; empty: nothing.
    `detail` is the message of this input, and `files` are the input itself.
    """

    job: FuzzJob
    seconds: float = 0.0
    memory: float = 0.0
    fault: str = ""
    detail: str = ""
    files: Files = field(default_factory=dict)


class TooSlow(BaseException):
    """Raised in an input that takes more CPU time than it may."""


def results_of(
    jobs: Sequence[FuzzJob], base: Path, targets: Mapping[str, Target] = TARGETS, limits: Limits = LIMITS
) -> Iterator[FuzzResult]:
    """Yield the result of each job, in order; `base` is made by `page.base_in`.

    The jobs share a process until one of them ends it or it has too much memory. An input is at fault only
    if a process that has done nothing else has too much, since what a library keeps of each input adds up.
    """
    done = 0
    while done < len(jobs):
        with TemporaryDirectory() as folder:
            ours, theirs = _processes.Pipe(duplex=False)
            arguments = (theirs, jobs[done:], base, dict(targets), limits, Path(folder))
            process = _processes.Process(target=_serve, args=arguments, daemon=True)
            process.start()
            theirs.close()
            # Until the process ends.
            with ours, suppress(EOFError):
                while True:
                    yield ours.recv()
                    done += 1
            process.join()
            if process.exitcode:
                yield _killer(jobs[done], process.exitcode, Path(folder))
                done += 1


def _most_memory() -> float:
    """Return the most memory that this process has had, in MiB.

    `getrusage` counts what the process that started this one had, too, if that was more.
    """
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def _killer(job: FuzzJob, status: int, folder: Path) -> FuzzResult:
    """Return the result of a job that ended its process."""
    case = folder / _CASE
    files = {str(file.relative_to(case)): file.read_bytes() for file in case.rglob("*") if file.is_file()}
    last_words = " ".join((folder / _ERRORS).read_text(errors="replace").split())
    return FuzzResult(job, fault=f"ends its process ({status})", detail=last_words[:300], files=files)


def _serve(
    results: Connection,
    jobs: Sequence[FuzzJob],
    base: Path,
    targets: Mapping[str, Target],
    limits: Limits,
    folder: Path,
) -> None:
    """Do jobs and send their results, until the process has too much memory."""
    # For what Python does not write, such as the last words of Rust.
    with (folder / _ERRORS).open("ab") as errors:
        os.dup2(errors.fileno(), sys.stderr.fileno())
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
    signal.signal(signal.SIGPROF, _too_slow)
    seeds = {name: targets[name].seeds(base) for name in {job.target for job in jobs}}
    for job in jobs:
        os.truncate(folder / _ERRORS, 0)
        target = targets[job.target]
        files = input_of(target, seeds[job.target], Random(repr(job)), job.number)
        result = _attempt(job, target, FuzzCase(folder / _CASE, base, files), limits)
        if result.memory > limits.memory and job != jobs[0]:
            return
        results.send(result)
        if result.memory > limits.memory:
            return


def _attempt(job: FuzzJob, target: Target, case: FuzzCase, limits: Limits) -> FuzzResult:
    fault = detail = ""
    case.write()
    started = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, limits.seconds)
    signal.alarm(WALL_SECONDS)
    try:
        try:
            target.run(case)
        finally:
            # The time may be up just now: `TooSlow` is then raised here.
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.alarm(0)
    except UnacceptableError as error:
        fault = str(error)
    except BaseException as error:  # noqa: BLE001 - Rust's panics are no `Exception`
        fault = f"{type(error).__name__} at {_place(error)}"
        detail = " ".join(str(error).split())[:200]
    seconds = time.process_time() - started
    memory = _most_memory()
    if memory > limits.memory:
        fault = fault or "takes too much memory"
    return FuzzResult(job, seconds, memory, fault, detail, case.files if fault else {})


def _too_slow(number: int, frame: FrameType | None) -> Never:
    raise TooSlow


def _place(error: BaseException) -> str:
    """Return where in the project an error was raised, or a library was called that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{os.path.relpath(frame.filename, ROOT)}:{frame.lineno}" for frame in frames]
    return next((place for place in reversed(places) if place.startswith(PACKAGES)), places[-1])
