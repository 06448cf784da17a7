"""A Dask cluster of a test's own: a real scheduler and real workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NO_DASK = "Dask is missing: pip install 'chess-motif[cluster]'"


@contextmanager
def cluster_in(folder: Path, patience: int = 3) -> Iterator[DaskCluster]:
    """A scheduler, with its log in a folder, if Dask is there. A task may cost `patience` workers."""
    pytest.importorskip("distributed", reason=NO_DASK)
    if sys.platform == "win32":
        pytest.skip("Windows has no signals, by which these tests end workers")
    cluster = DaskCluster(folder)
    try:
        cluster.start(patience)
        yield cluster
    finally:
        cluster.close()


class DaskCluster:
    """A scheduler and the workers that a test adds, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, patience: int) -> None:
        """Start the scheduler. A game may cost `patience` workers before it is set aside."""
        place = self.folder / "scheduler.json"
        options = ["--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(place)]
        environment = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(patience)}
        self._start("scheduler", *options, **environment)
        # Not all at once: the file is there before its content.
        while not (place.exists() and place.read_text().endswith("}")):
            assert self.processes[0].poll() is None
            time.sleep(0.05)
        self.address = json.loads(place.read_text())["address"]

    @property
    def workers(self) -> list[subprocess.Popen[bytes]]:
        return self.processes[1:]

    def add_workers(self, count: int, **environment: str) -> None:
        options = ["--nthreads", "1", "--no-nanny", "--local-directory", str(self.folder)]
        for _ in range(count):
            self._start("worker", self.address, *options, **environment)
        # Imported when needed: Dask is optional.
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            living = sum(worker.poll() is None for worker in self.workers)
            client.wait_for_workers(living, timeout=60)

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()

    def _start(self, part: str, *options: str, **environment: str) -> None:
        command = [sys.executable, "-m", f"distributed.cli.dask_{part}", "--no-dashboard", *options]
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(command, env=os.environ | environment, stdout=log, stderr=log)
        self.processes.append(process)
