"""A pool of worker processes on this computer, each of which has an engine and mines one game at a time.

If a worker dies, its game goes to a new one; a game that has cost several workers is skipped. So is a game
that a worker has not finished after an hour: that worker is killed. The processes are spawned, not forked, so
that none keeps another's pipe open.
"""

from __future__ import annotations

import multiprocessing
import time
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from queue import SimpleQueue

from chess_motif.errors import ChessMotifError
from chess_motif.parallel import prepare_worker
from engines.engine import ATTEMPTS
from puzzlegen.games.pgn import Skip
from puzzlegen.games.split import RawGame
from puzzlegen.mining.game import GAME_SECONDS, GameResult, skipped_game
from puzzlegen.mining.worker import Pool, WorkerConfig

_processes = multiprocessing.get_context("spawn")

# Seconds between two attempts to end all workers.
KILL_EVERY = 0.05


class LocalPool(Pool):
    """`count` workers with the same configuration, each started when it is first needed."""

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
        """Return what the engine calls itself. Raises `EngineError`."""
        with self._config.worker() as worker:
            return worker.engine_name

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
            process.kill()
            process.join()
            connection.close()


def _serve(connection: Connection, config: WorkerConfig) -> None:
    prepare_worker()
    try:
        with config.worker() as worker:
            while True:
                connection.send(worker.mine(connection.recv()))
    except ChessMotifError as error:
        connection.send(error)
    except (EOFError, BrokenPipeError):
        return
