"""A pool of game workers on many computers: the workers of a Dask cluster.

A plugin keeps the game workers of each Dask worker. All must have this version, the same engine and the
same human-move model, because the puzzles depend on them. When a worker is lost, Dask gives its games to
the others; a game that has cost several workers is skipped. Importing this module requires Dask.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import distributed
from distributed import KilledWorker, Worker, WorkerPlugin, get_worker
from tornado.ioloop import PeriodicCallback

from chess_motif import __version__
from chess_motif.cluster import COUNT_EVERY, LOST, Cluster, check_version, naming_worker, one_line
from chess_motif.errors import ChessMotifError, ClusterError
from engines.engine import Engine
from engines.human.model import model_digest
from engines.options import EngineChoice
from puzzlegen.games.archive import fingerprint
from puzzlegen.games.pgn import Skip
from puzzlegen.games.split import RawGame
from puzzlegen.mining.game import GAME_SECONDS, GameResult, skipped_game
from puzzlegen.mining.workers import GameWorker, WorkerConfig

# Seconds without a game after which a game worker is closed, because its mining run must have ended.
IDLE_SECONDS = 60.0


@dataclass(frozen=True)
class Identity:
    """The properties of a worker on which the puzzles depend, and which must be the same everywhere."""

    version: str
    engine: str
    human_model: str

    def check(self, other: Identity, worker: object) -> None:
        """Raise `ClusterError` if `other`, the identity of `worker`, is different."""
        check_version(self.version, other.version, worker)
        if other.engine != self.engine:
            raise ClusterError(f"worker {worker} has the engine {other.engine}, others {self.engine}")
        if other.human_model != self.human_model:
            raise ClusterError(f"worker {worker} has another human-move model; see CHESS_MOTIF_HUMAN_MODEL")


def identify(chosen: EngineChoice) -> Identity:
    """Return the identity of this worker. Raises `EngineError`, `HumanModelError`."""
    with Engine(chosen) as engine:
        return Identity(__version__, engine.label, model_digest())


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

        After `GAME_SECONDS` the engine is killed, and the game is skipped.
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
            self.identity.check(Identity(__version__, game_worker.engine_name, model_digest()), self._worker)
        except ChessMotifError:
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
    plugin = get_worker().plugins[plugin_name]
    assert isinstance(plugin, GameWorkers)
    with naming_worker():
        return plugin.mine(raw)


class DaskPool:
    """A `Pool` of the workers of a Dask cluster, which may come and go."""

    def __init__(self, cluster: Cluster, config: WorkerConfig) -> None:
        self.cluster = cluster
        self.config = config
        self._lock = threading.RLock()
        self._waiting: deque[tuple[RawGame, Future[GameResult]]] = deque()
        self._begun: dict[distributed.Future[GameResult], tuple[RawGame, Future[GameResult]]] = {}
        self._closed = threading.Event()
        self._watcher: threading.Thread | None = None

    def engine_name(self) -> str:
        """Return the name of the engine of all workers. Waits until there is a worker.

        Raises `ClusterError`, and `KeyboardInterrupt` if the user asks to stop while waiting.
        """
        return self._identity.engine

    def submit(self, game: RawGame) -> Future[GameResult]:
        """Hand a game to the next free worker."""
        future: Future[GameResult] = Future()
        if self._watcher is None:
            self.cluster.count_threads()
            self._watcher = threading.Thread(target=self._watch, daemon=True)
            self._watcher.start()
        with self._lock:
            self._waiting.append((game, future))
        self._begin_waiting()
        return future

    def places(self) -> int:
        """Return how many threads the cluster's workers have, at least 1."""
        return max(1, self.cluster.threads or 0)

    def close(self) -> None:
        """Cancel the remaining games and disconnect from the cluster."""
        self._closed.set()
        with self._lock:
            begun, self._waiting = list(self._begun), deque()
        with suppress(*LOST):
            self.cluster.client.cancel(begun)
        self.cluster.close()
        if self._watcher is not None:
            self._watcher.join()

    @cached_property
    def _identity(self) -> Identity:
        answers = self.cluster.first_answers(identify, self.config.engine)
        first = next(iter(answers.values()))
        identity = Identity(__version__, first.engine, model_digest())
        for worker, answer in answers.items():
            identity.check(answer, worker)
        return identity

    @cached_property
    def _plugin(self) -> str:
        workers = GameWorkers(self.config, self._identity)
        with self.cluster.reaching():
            self.cluster.client.register_plugin(workers)
        return workers.name

    def _begin_waiting(self) -> None:
        """Give waiting games to Dask, at most one per thread.

        More would be queued on workers, and when a worker is lost, Dask blames all games in its queue.
        """
        with self._lock:
            while self._waiting and len(self._begun) < self.places():
                game, future = self._waiting.popleft()
                if not future.set_running_or_notify_cancel():
                    continue
                try:
                    with self.cluster.reaching():
                        task = self.cluster.client.submit(mine_here, self._plugin, game, pure=False)
                except ClusterError as error:
                    future.set_exception(error)
                    continue
                self._begun[task] = game, future
                task.add_done_callback(self._done)

    def _done(self, task: distributed.Future[GameResult]) -> None:
        """Pass on the result of a game. Called in a thread of Dask's client."""
        with self._lock:
            game, future = self._begun.pop(task)
        try:
            with self.cluster.reaching():
                error = task.exception()
                result = task.result() if error is None else None
        except ClusterError as lost:
            future.set_exception(lost)
            return
        if isinstance(error, KilledWorker):
            result = skipped_game(game, Skip.WORKER, f"{error.allowed_failures + 1} times")
        if result is not None:
            future.set_result(result)
        else:
            future.set_exception(ClusterError(one_line(error)))
        if not self._closed.is_set():
            self._begin_waiting()

    def _watch(self) -> None:
        """Count the threads regularly, until the pool is closed or the scheduler is lost."""
        while not self._closed.wait(COUNT_EVERY):
            try:
                self.cluster.count_threads()
            except ClusterError as error:
                with self._lock:
                    waiting, self._waiting = self._waiting, deque()
                for _, future in waiting:
                    if future.set_running_or_notify_cancel():
                        future.set_exception(error)
                return
            self._begin_waiting()
