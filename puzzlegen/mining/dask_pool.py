"""GameWorkers on many computers: the workers of a Dask cluster (see `cluster_worker` for what they do).

Dask gives the games of a worker that is lost to the others; a game that has cost several workers
their life is set aside. Importing this needs Dask.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import cached_property
from queue import Empty, SimpleQueue

from distributed import Client, Future, KilledWorker
from distributed.comm.addressing import get_address_host_port

from chess_motif import __version__
from chess_motif.errors import ChessMotifError, ClusterError
from puzzlegen.mining.dask_worker import GameWorkers, Identity, identify, mine_here
from puzzlegen.mining.game_job import GameResult
from puzzlegen.mining.game_worker import WorkerConfig
from puzzlegen.mining.pool import Pool, Slot

# Seconds until a scheduler that does not answer counts as not there.
CONNECT_SECONDS = 5.0

# What the client logs becomes an error here.
logging.getLogger("distributed.client").setLevel(logging.CRITICAL)

# Seconds between two looks at who is there.
LOOK_EVERY = 1.0


class DaskPool(Pool):
    """The workers of the Dask scheduler at `address`. They may come and go.

    `noticed` gets a line when there are none; `stopped` says when to wait for none.
    """

    def __init__(
        self,
        address: str,
        config: WorkerConfig,
        noticed: Callable[[str], None],
        stopped: Callable[[], bool],
    ) -> None:
        """Raise `ClusterError` when there is no scheduler."""
        self.address = address
        self.config = config
        self.noticed = noticed
        self.stopped = stopped
        self._threads: int | None = None
        self._looked = 0.0
        self._begun: dict[Future[GameResult], Slot] = {}
        self._done: SimpleQueue[Future[GameResult]] = SimpleQueue()
        try:
            get_address_host_port(address)
            self._client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except OSError as error:
            raise ClusterError(f"{address}: no Dask scheduler answers") from error
        except ValueError as error:
            raise ClusterError(f"{address}: {error}") from error

    def engine_name(self) -> str:
        """Return what the engine of all workers calls itself, once there is a worker.

        Raises `ClusterError`, and `KeyboardInterrupt` when stopped while waiting.
        """
        return self._identity.engine

    def close(self) -> None:
        """Take back the games and leave the cluster."""
        with suppress(*_LOST):
            self._client.cancel(list(self._begun))
        self._client.close()

    @cached_property
    def _identity(self) -> Identity:
        answers = self._first_answers()
        identity = None
        for worker, answer in answers.items():
            if not isinstance(answer, Identity):
                raise ClusterError(f"worker {worker}: {_line(answer)}")
            identity = identity or Identity(__version__, answer.engine)
            identity.check(answer, worker)
        assert identity is not None
        return identity

    def _first_answers(self) -> dict[str, object]:
        while True:
            with self._reaching():
                answers = self._client.run(identify, self.config, on_error="return")
            # A worker that is gone again is no worker.
            there = {worker: found for worker, found in answers.items() if not isinstance(found, OSError)}
            if there:
                return there
            if self.stopped():
                raise KeyboardInterrupt
            self._say_when_deserted(0)
            time.sleep(LOOK_EVERY)

    @cached_property
    def _miners(self) -> str:
        miners = GameWorkers(self.config, self._identity)
        with self._reaching():
            self._client.register_plugin(miners)
        return miners.name

    def _places(self) -> int:
        return max(1, self._threads or 0)

    def _hand_out(self, todo: deque[Slot]) -> None:
        self._look()
        # No more than there are threads: Dask blames a lost worker on every game that waited there.
        while todo and len(self._begun) < self._places():
            slot = todo.popleft()
            with self._reaching():
                future = self._client.submit(mine_here, self._miners, slot.raw, pure=False)
            self._begun[future] = slot
            future.add_done_callback(self._done.put)

    def _collect(self, todo: deque[Slot], *, wait: bool) -> None:
        with suppress(Empty):
            future = self._done.get(timeout=LOOK_EVERY if wait else 0)
            while True:
                self._take(self._begun.pop(future), future)
                future = self._done.get_nowait()

    def _take(self, slot: Slot, future: Future[GameResult]) -> None:
        with self._reaching():
            error = future.exception()
            if error is None:
                slot.finish(future.result())
                return
        if isinstance(error, KilledWorker):
            slot.losses = error.allowed_failures + 1
            slot.set_aside()
        else:
            raise ClusterError(_line(error)) from error

    def _look(self) -> None:
        """See now and then how many threads there are."""
        if time.monotonic() - self._looked < LOOK_EVERY:
            return
        with self._reaching():
            threads = sum(self._client.nthreads().values())
        self._say_when_deserted(threads)
        self._looked = time.monotonic()

    def _say_when_deserted(self, threads: int) -> None:
        if not threads and self._threads != 0:
            self.noticed(
                f"{self.address}: no workers; waiting for one: dask worker {self.address} --nthreads 1"
            )
        self._threads = threads

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        try:
            yield
        except _LOST as error:
            raise ClusterError(f"{self.address}: lost the Dask scheduler") from error


# What the client raises when the scheduler is gone.
_LOST = (OSError, CancelledError)


def _line(error: object) -> str:
    said = " ".join(str(error).split())
    return said if isinstance(error, ChessMotifError) else f"{type(error).__name__}: {said}"
