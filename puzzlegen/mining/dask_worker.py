"""What runs on the workers of a Dask cluster: the miners of a worker process, and who they are."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from distributed import Worker, WorkerPlugin, get_worker
from tornado.ioloop import PeriodicCallback

from chess_motif import __version__
from chess_motif.errors import ChessMotifError, ClusterError
from puzzlegen.games.split import RawGame
from puzzlegen.games.walk import fingerprint
from puzzlegen.mining.game_job import GameResult
from puzzlegen.mining.game_worker import GameWorker, WorkerConfig

# A miner without work for so many seconds is closed: its run is over, however that ended.
IDLE_SECONDS = 60.0


@dataclass(frozen=True)
class Identity:
    """What has to be the same on every worker, because the puzzles depend on it."""

    version: str
    engine: str

    def check(self, found: Identity, worker: object) -> None:
        """Raise `ClusterError` where `worker` has been found to be another one."""
        if found.version != self.version:
            raise ClusterError(f"worker {worker} has chess-motif {found.version}, not {self.version}")
        if found.engine != self.engine:
            raise ClusterError(f"worker {worker} has the engine {found.engine}, others {self.engine}")


def identify(config: WorkerConfig) -> Identity:
    """Return what this computer would mine with. Raises `EngineError`."""
    with GameWorker(config) as miner:
        return Identity(__version__, miner.engine_name)


class GameWorkers(WorkerPlugin):
    """The miners of one worker process: as many as it has threads at work, kept between games."""

    # The same command, run again, finds the miners that it left.
    idempotent = True

    def __init__(self, config: WorkerConfig, identity: Identity) -> None:
        self.config = config
        self.identity = identity
        self.name = f"chess-motif-{fingerprint(repr((config, identity)).encode())}"

    def setup(self, worker: Worker) -> None:
        """Make ready for games, on the worker."""
        self._worker = worker.address
        self._lock = threading.Lock()
        self._idle: list[tuple[float, GameWorker]] = []
        self._closed = False
        self._sweeper = PeriodicCallback(lambda: self._close_idle(IDLE_SECONDS), IDLE_SECONDS * 1000)
        self._sweeper.start()

    def teardown(self, worker: Worker) -> None:
        """Close the miners, those at work as soon as they are done."""
        self._sweeper.stop()
        with self._lock:
            self._closed = True
        self._close_idle(0)

    def mine(self, raw: RawGame) -> GameResult:
        """Return what came of a game, by a miner that has no other one at the time."""
        with self._lock:
            _, miner = self._idle.pop() if self._idle else (0, None)
        miner = miner or self._start()
        try:
            return miner.mine(raw)
        finally:
            with self._lock:
                closed = self._closed
                if not closed:
                    self._idle.append((time.monotonic(), miner))
            if closed:
                miner.close()

    def _start(self) -> GameWorker:
        miner = GameWorker(self.config)
        try:
            self.identity.check(Identity(__version__, miner.engine_name), self._worker)
        except ClusterError:
            miner.close()
            raise
        return miner

    def _close_idle(self, seconds: float) -> None:
        """Close the miners that have been idle for so long."""
        limit = time.monotonic() - seconds
        with self._lock:
            old = [miner for since, miner in self._idle if since <= limit]
            self._idle = [(since, miner) for since, miner in self._idle if since > limit]
        for miner in old:
            miner.close()


def mine_here(miners: str, raw: RawGame) -> GameResult:
    """Mine a game with the worker's plugin called `miners`. Raises `ClusterError`, naming the worker."""
    worker = get_worker()
    plugin = worker.plugins[miners]
    assert isinstance(plugin, GameWorkers)
    try:
        return plugin.mine(raw)
    except ClusterError:
        raise
    except ChessMotifError as error:
        raise ClusterError(f"worker {worker.address}: {error}") from error
