"""Worker processes on this computer that each own an engine and mine one game at a time.

A worker that dies takes nothing with it: its game goes to a new one, and a game that has cost
several workers their life is set aside. The processes are started afresh (not forked), so that none
holds another's pipe open and all end when this process does, however it ends.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from multiprocessing.process import BaseProcess

from chess_motif.errors import ChessMotifError
from engines.engine import ATTEMPTS
from puzzlegen.mining.game_worker import GameWorker, WorkerConfig
from puzzlegen.mining.pool import Pool, Slot

_processes = multiprocessing.get_context("spawn")


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    slot: Slot | None = None


@dataclass
class LocalPool(Pool):
    """`count` workers with the same config."""

    count: int
    config: WorkerConfig
    _workers: list[_Worker] = field(default_factory=list)

    def engine_name(self) -> str:
        """Return what the engine calls itself. Raises `EngineError`."""
        with GameWorker(self.config) as miner:
            return miner.engine_name

    def close(self) -> None:
        """End the workers, those at work included."""
        for worker in self._workers:
            worker.connection.close()
            if worker.slot is not None:
                worker.process.kill()
        for worker in self._workers:
            worker.process.join()
        self._workers.clear()

    def _places(self) -> int:
        return self.count

    def _hand_out(self, todo: deque[Slot]) -> None:
        while todo:
            worker = next((worker for worker in self._workers if worker.slot is None), None)
            if worker is None:
                if len(self._workers) == self.count:
                    return
                worker = self._start()
            worker.slot = todo.popleft()
            try:
                worker.connection.send(worker.slot.raw)
            except OSError:
                self._bury(worker, todo)

    def _collect(self, todo: deque[Slot], *, wait: bool) -> None:
        busy = [worker.connection for worker in self._workers if worker.slot is not None]
        ready = wait_for(busy, None if wait else 0)
        for worker in [worker for worker in self._workers if worker.connection in ready]:
            try:
                answer = worker.connection.recv()
            except (EOFError, OSError):
                self._bury(worker, todo)
                continue
            if isinstance(answer, ChessMotifError):
                raise answer
            assert worker.slot is not None
            worker.slot.finish(answer)
            worker.slot = None

    def _bury(self, worker: _Worker, todo: deque[Slot]) -> None:
        worker.connection.close()
        worker.process.kill()
        worker.process.join()
        self._workers.remove(worker)
        slot = worker.slot
        assert slot is not None
        slot.losses += 1
        if slot.losses < ATTEMPTS:
            todo.appendleft(slot)
        else:
            slot.set_aside()

    def _start(self) -> _Worker:
        ours, theirs = _processes.Pipe()
        process = _processes.Process(target=_serve, args=(theirs, self.config), daemon=True)
        process.start()
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        return worker


def _serve(connection: Connection, config: WorkerConfig) -> None:
    # Ctrl-C reaches every process of the terminal; only the first one decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with GameWorker(config) as miner:
            while True:
                connection.send(miner.mine(connection.recv()))
    except ChessMotifError as error:
        connection.send(error)
    except (EOFError, BrokenPipeError):
        return
