"""What runs on the workers of a Dask cluster: the game workers, and the check that all are alike."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from distributed import Worker, WorkerPlugin, get_worker
from tornado.ioloop import PeriodicCallback

from chess_motif import __version__
from chess_motif.errors import ChessMotifError, ClusterError
from puzzlegen.games.pgn import Skip
from puzzlegen.games.split import RawGame
from puzzlegen.games.walk import fingerprint
from puzzlegen.mining.game_job import GAME_SECONDS, GameResult, skipped_game
from puzzlegen.mining.game_worker import GameWorker, WorkerConfig

# Seconds without a game after which a game worker is closed: its mining run has ended.
IDLE_SECONDS = 60.0


@dataclass(frozen=True)
class Identity:
    """What must be the same on every worker, because the puzzles depend on it."""

    version: str
    engine: str

    def check(self, other: Identity, worker: object) -> None:
        """Raise `ClusterError` if `other`, the identity of `worker`, is different."""
        if other.version != self.version:
            raise ClusterError(f"worker {worker} has chess-motif {other.version}, not {self.version}")
        if other.engine != self.engine:
            raise ClusterError(f"worker {worker} has the engine {other.engine}, others {self.engine}")


def identify(config: WorkerConfig) -> Identity:
    """Return the identity of this worker. Raises `EngineError`, `StoreError`."""
    with GameWorker(config) as game_worker:
        return Identity(__version__, game_worker.engine_name)


class GameWorkers(WorkerPlugin):
    """The game workers of one Dask worker: one for each busy thread, kept between games."""

    # A plugin of the same name is not set up again: a run with the same settings reuses its game workers.
    idempotent = True

    def __init__(self, config: WorkerConfig, identity: Identity) -> None:
        self.config = config
        self.identity = identity
        self.name = f"chess-motif-{fingerprint(repr((config, identity)).encode())}"

    def setup(self, worker: Worker) -> None:
        """Prepare for games. Called by Dask on the worker."""
        self._worker = worker.address
        self._lock = threading.Lock()
        self._idle: list[tuple[float, GameWorker]] = []
        self._closed = False
        self._sweeper = PeriodicCallback(lambda: self._close_idle(IDLE_SECONDS), IDLE_SECONDS * 1000)
        self._sweeper.start()

    def teardown(self, worker: Worker) -> None:
        """Close the game workers; busy ones are closed after their game. Called by Dask on the worker."""
        self._sweeper.stop()
        with self._lock:
            self._closed = True
        self._close_idle(0)

    def mine(self, raw: RawGame) -> GameResult:
        """Return the result of mining a game with an idle game worker.

        A game that is not finished after `GAME_SECONDS` loses its engine, and is skipped.
        """
        with self._lock:
            _, game_worker = self._idle.pop() if self._idle else (0, None)
        game_worker = game_worker or self._start()
        deadline = time.monotonic() + GAME_SECONDS
        timer = threading.Timer(GAME_SECONDS, game_worker.close)
        timer.daemon = True
        timer.start()
        try:
            result = game_worker.mine(raw)
        finally:
            timer.cancel()
            overtime = time.monotonic() >= deadline
            with self._lock:
                reusable = not (self._closed or overtime)
                if reusable:
                    self._idle.append((time.monotonic(), game_worker))
            if not reusable:
                game_worker.close()
        if overtime:
            return skipped_game(raw, Skip.OVERTIME, f"more than {GAME_SECONDS:g} seconds")
        return result

    def _start(self) -> GameWorker:
        game_worker = GameWorker(self.config)
        try:
            self.identity.check(Identity(__version__, game_worker.engine_name), self._worker)
        except ClusterError:
            game_worker.close()
            raise
        return game_worker

    def _close_idle(self, seconds: float) -> None:
        """Close the game workers that have been idle for at least `seconds`."""
        limit = time.monotonic() - seconds
        with self._lock:
            old = [game_worker for since, game_worker in self._idle if since <= limit]
            self._idle = [(since, game_worker) for since, game_worker in self._idle if since > limit]
        for game_worker in old:
            game_worker.close()


def mine_here(plugin_name: str, raw: RawGame) -> GameResult:
    """Mine a game with the worker's plugin of that name. Raises `ClusterError`, naming the worker."""
    worker = get_worker()
    plugin = worker.plugins[plugin_name]
    assert isinstance(plugin, GameWorkers)
    try:
        return plugin.mine(raw)
    except ClusterError:
        raise
    except ChessMotifError as error:
        raise ClusterError(f"worker {worker.address}: {error}") from error
