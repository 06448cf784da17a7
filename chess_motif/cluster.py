"""A Dask cluster: the connection to its scheduler, and calls to all workers.

Dask is large and optional, so it is imported when a `Cluster` is made.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Self, TypeVar

from chess_motif.errors import ChessMotifError, ClusterError
from chess_motif.progress import Progress

T = TypeVar("T")

# Seconds to wait for the scheduler to answer.
CONNECT_SECONDS = 5.0

# Seconds between counts of the workers.
COUNT_EVERY = 1.0

# What the client raises when the scheduler is lost.
LOST = (OSError, CancelledError)


class Cluster:
    """A connection to the Dask scheduler at `address`. Close it, or use it in a `with` statement.

    `threads` is how many threads the workers had at the last count (None: not counted yet). `progress` gets a
    notice when there are no workers. Raises `ClusterError` if Dask is missing or no scheduler answers.
    """

    def __init__(self, address: str, progress: Progress) -> None:
        try:
            from distributed import Client
            from distributed.comm.addressing import get_address_host_port
        except ImportError as error:
            raise ClusterError("a cluster needs Dask; pip install 'chess-motif[cluster]'") from error
        # The client would also log the errors that are raised here.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        self.address = address
        self.threads: int | None = None
        self._progress = progress
        try:
            get_address_host_port(address)
            self.client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except OSError as error:
            raise ClusterError(f"{address}: no Dask scheduler answers") from error
        except ValueError as error:
            raise ClusterError(f"{address}: {error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect, and cancel the remaining work of this client."""
        self.client.close()

    def count_threads(self) -> int:
        """Return how many threads the workers have. Raises `ClusterError`."""
        with self.reaching():
            threads: int = sum(self.client.nthreads().values())
        if not threads and self.threads != 0:
            self._progress.notice(
                f"{self.address}: no workers; waiting for one: dask worker {self.address} --nthreads 1"
            )
        self.threads = threads
        return threads

    def answers(self, work: Callable[..., T], *arguments: object) -> dict[str, T]:
        """Return the result of `work` on each worker, by the worker's address.

        Raises `ClusterError` if `work` fails on a worker.
        """
        with self.reaching():
            answers = self.client.run(work, *arguments, on_error="return")
        # Workers that have left in the meantime do not count.
        present = {worker: answer for worker, answer in answers.items() if not isinstance(answer, OSError)}
        for worker, answer in present.items():
            if isinstance(answer, BaseException):
                raise ClusterError(f"worker {worker}: {one_line(answer)}")
        return present

    def first_answers(self, work: Callable[..., T], *arguments: object) -> dict[str, T]:
        """Wait until there is a worker, and return `answers`.

        Raises `KeyboardInterrupt` if the user asks to stop while waiting.
        """
        while not (answers := self.answers(work, *arguments)):
            if self._progress.stopping:
                raise KeyboardInterrupt
            self.count_threads()
            time.sleep(COUNT_EVERY)
        return answers

    @contextmanager
    def reaching(self) -> Iterator[None]:
        """Raise `ClusterError` if the scheduler is lost in the block."""
        try:
            yield
        except LOST as error:
            raise ClusterError(f"{self.address}: lost the Dask scheduler") from error


def check_version(expected: str, found: str, worker: object) -> None:
    """Raise `ClusterError` if a worker has another version of chess-motif than the expected one."""
    if found != expected:
        raise ClusterError(f"worker {worker} has chess-motif {found}, not {expected}")


@contextmanager
def naming_worker() -> Iterator[None]:
    """Turn a `ChessMotifError` in the block, which a worker runs, into a `ClusterError` naming the worker."""
    from distributed import get_worker

    try:
        yield
    except ClusterError:
        raise
    except ChessMotifError as error:
        raise ClusterError(f"worker {get_worker().address}: {error}") from error


def one_line(error: object) -> str:
    """Return the message of an error on one line, with its type unless it is one of ours."""
    message = " ".join(str(error).split())
    return message if isinstance(error, ChessMotifError) else f"{type(error).__name__}: {message}"
