"""Game workers, and the pool of workers on this computer.

A worker has an engine and the rating model. It gets one game at a time, does its job (see
`puzzlegen.mining.game`), and estimates how hard the puzzles are. Each worker of a pool is a process of its
own. If a worker dies, a new one gets its game; a game that has cost several workers is skipped. A worker that
has not finished its game after an hour is killed, and the game is skipped. The processes are spawned, not
forked, so that none keeps the pipe of another one open.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from typing import Protocol

from chess_motif.errors import ChessMotifError
from chess_motif.parallel import in_order, prepare_worker, starting_workers
from db.evaluations import lookup
from db.packed.file import PackedFile
from db.store import Store
from engines.engine import ATTEMPTS, Engine
from engines.options import EngineChoice
from engines.search_cache import CachedEngine
from puzzlegen.cache import packed_lookup
from puzzlegen.candidates import SkippedSpan
from puzzlegen.games.pgn import Skip
from puzzlegen.games.split import RawGame
from puzzlegen.mining.game import (
    GAME_SECONDS,
    GameResult,
    Job,
    game_result,
    skipped_game,
)
from puzzlegen.solutions import set_difficulties

# Games and spans read ahead per worker: enough that a long game does not leave the other workers idle.
AHEAD = 16

# Seconds between attempts to end all workers, and seconds that a worker has to end at SIGTERM.
KILL_EVERY = 0.05
TERMINATING = 1.0

_processes = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class WorkerConfig:
    """The configuration of a game worker: the engine's path, and what to do with each game.

    Without a path the engine is Stockfish, wherever it is installed on the worker's computer. Searches are
    looked up in the store with the URL `store` and in the packed file `cache`, if any.
    """

    engine: EngineChoice
    job: Job
    store: str | None = None
    cache: Path | None = None


class GameWorker:
    """Mines one game at a time. Must be closed."""

    def __init__(self, config: WorkerConfig) -> None:
        """Start the engine and open the store. Raises `EngineError`, `StoreError`."""
        self._job = config.job
        with ExitStack() as stack:
            self._engine = stack.enter_context(Engine(config.engine))
            stored = claims = None
            if config.store:
                stored = lookup(stack.enter_context(Store(config.store, create=False, wait=True)))
            if config.cache:
                claims = packed_lookup(stack.enter_context(PackedFile(config.cache)))
            self._searcher = CachedEngine(self._engine, stored, claims)
            self._opened = stack.pop_all()

    @property
    def engine_name(self) -> str:
        """The name of the engine, and its options."""
        return self._engine.label

    def mine(self, raw: RawGame) -> GameResult:
        """Return the result of mining a game. Raises `HumanModelError`, `StoreError`."""
        result = game_result(raw, self._searcher, self._job)
        set_difficulties(result.puzzles)
        return result

    def close(self) -> None:
        """Stop the engine, and close the store and the packed file."""
        self._opened.close()


class Pool(Protocol):
    """Game workers with the same configuration, on this computer or on others."""

    def engine_name(self) -> str:
        """Return the name of the workers' engine, and its options.

        Raises `EngineError`, `InputError`, `ClusterError`.
        """

    def submit(self, game: RawGame) -> Future[GameResult]:
        """Hand a game to the next free worker.

        The future raises errors from which a worker cannot recover, such as `EngineMissingError`, and can be
        cancelled until a worker has begun the game.
        """

    def places(self) -> int:
        """Return how many games are mined at a time, at least 1."""

    def close(self) -> None:
        """End the workers, including busy ones."""


def results_of(
    pool: Pool, games: Iterable[RawGame | SkippedSpan], stopping: Callable[[], bool]
) -> Generator[tuple[RawGame | SkippedSpan, GameResult | SkippedSpan]]:
    """Yield each game with its result, in order; skipped spans are their own results.

    Once `stopping()` is true, no further game is begun, and the games that have begun are finished.
    """

    def begin(item: RawGame | SkippedSpan) -> Future[GameResult | SkippedSpan]:
        if isinstance(item, RawGame):
            return pool.submit(item)  # type: ignore[return-value]  # a future's result type is invariant
        future: Future[GameResult | SkippedSpan] = Future()
        future.set_result(item)
        return future

    return in_order(begin, games, lambda: AHEAD * pool.places(), stopping)


class LocalPool:
    """A `Pool` of `count` processes on this computer, each started when it is first needed."""

    def __init__(self, count: int, config: WorkerConfig) -> None:
        self._count = count
        self._config = config
        self._closed = False
        self._idle: SimpleQueue[_Process] = SimpleQueue()
        self._workers = [_Process(config) for _ in range(count)]
        for worker in self._workers:
            self._idle.put(worker)
        # One thread waits for each of the processes.
        self._threads = ThreadPoolExecutor(count, "worker")

    def engine_name(self) -> str:
        """Return the name of the engine, and its options. Raises `EngineError`, `InputError`."""
        with Engine(self._config.engine) as engine:
            return engine.label

    def submit(self, game: RawGame) -> Future[GameResult]:
        """Hand a game to the next free worker."""
        return self._threads.submit(self._mine, game)

    def places(self) -> int:
        """Return how many workers there are."""
        return self._count

    def close(self) -> None:
        """End the workers, including busy ones."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        # More than once: a thread may just be starting a process.
        while self._idle.qsize() < self._count:
            self._kill_all()
            time.sleep(KILL_EVERY)
        self._kill_all()
        self._threads.shutdown()

    def _kill_all(self) -> None:
        for worker in self._workers:
            worker.kill()

    def _mine(self, game: RawGame) -> GameResult:
        worker = self._idle.get()
        try:
            for _ in range(ATTEMPTS):
                try:
                    return worker.mine(game)
                except TimeoutError:
                    worker.kill()
                    return skipped_game(game, Skip.OVERTIME, f"more than {GAME_SECONDS:g} seconds")
                except (EOFError, OSError):
                    worker.kill()
                    if self._closed:
                        raise
            return skipped_game(game, Skip.WORKER, f"{ATTEMPTS} times")
        finally:
            self._idle.put(worker)


class _Process:
    """One worker process, which is replaced when it has died."""

    def __init__(self, config: WorkerConfig) -> None:
        self._config = config
        self._running: tuple[multiprocessing.process.BaseProcess, Connection] | None = None

    def mine(self, game: RawGame) -> GameResult:
        """Return the result of mining a game.

        Raises `EOFError` or `OSError` if the process dies, `TimeoutError` after `GAME_SECONDS`.
        """
        if self._running is None:
            ours, theirs = _processes.Pipe()
            process = _processes.Process(target=_serve, args=(theirs, self._config), daemon=True)
            with starting_workers(_serve):
                process.start()
            theirs.close()
            self._running = process, ours
        _, connection = self._running
        connection.send(game)
        if not connection.poll(GAME_SECONDS):
            raise TimeoutError
        answer = connection.recv()
        if isinstance(answer, ChessMotifError):
            raise answer
        assert isinstance(answer, GameResult)
        return answer

    def kill(self) -> None:
        """End the process, if there is one."""
        running, self._running = self._running, None
        if running is not None:
            process, connection = running
            # At SIGTERM, the worker ends its engine, too.
            process.terminate()
            process.join(TERMINATING)
            process.kill()
            process.join()
            connection.close()


def _serve(connection: Connection, config: WorkerConfig) -> None:
    """Mine the games that come through a connection, in a process of its own."""
    prepare_worker()
    try:
        with closing(GameWorker(config)) as worker:
            while True:
                connection.send(worker.mine(connection.recv()))
    except ChessMotifError as error:
        connection.send(error)
    except (EOFError, BrokenPipeError):
        return
