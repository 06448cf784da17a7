"""Worker processes that each own an engine and mine one game at a time; results come in order.

A worker that dies takes nothing with it: its game goes to a new one, and a game that has cost
several workers their life is set aside. The processes are started afresh (not forked), so that none
holds another's pipe open and all end when this process does, however it ends.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from chess_motif.errors import ChessMotifError
from engines.uci import ATTEMPTS
from puzzlegen.miner import Assignment, Miner
from puzzlegen.pgn import Skip
from puzzlegen.sift import Stretch
from puzzlegen.split import RawGame
from puzzlegen.unit import GameResult

# Games handed out ahead of the oldest one that is not done, per worker: enough that a long game
# does not leave the others idle.
AHEAD = 8

# Results and stretches that may wait for an earlier game.
MOST_WAITING = 20_000

_processes = multiprocessing.get_context("spawn")


@dataclass
class _Slot:
    """A game on its way: its text until it is done, and what came of it; or a stretch that passes."""

    raw: RawGame | None
    result: GameResult | Stretch | None = None
    deaths: int = 0


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    slot: _Slot | None = None


@dataclass
class Workers:
    """`count` workers with the same assignment. Use with `with`."""

    count: int
    assignment: Assignment
    _workers: list[_Worker] = field(default_factory=list)

    def results(
        self, games: Iterable[RawGame | Stretch], stopped: Callable[[], bool] = lambda: False
    ) -> Iterator[GameResult | Stretch]:
        """Yield a result for each game, in order; stretches between the games pass through.

        When `stopped` says so, no more games are begun and those at hand are finished. An error
        that `games` raises comes out after the results of what it gave before. Raises what a worker
        cannot get over, such as `EngineMissingError`.
        """
        source = iter(games)
        waiting: deque[_Slot] = deque()
        todo: deque[_Slot] = deque()
        more, failure = True, None
        while True:
            if stopped():
                more = False
                _drop(waiting, todo)
            self._hand_out(todo)
            while more and len(todo) < self.count * AHEAD and len(waiting) < MOST_WAITING:
                try:
                    slot = _slot(next(source, None))
                except ChessMotifError as error:
                    slot, failure = None, error
                if slot is None:
                    more = False
                    break
                waiting.append(slot)
                if slot.result is None:
                    todo.append(slot)
                self._hand_out(todo)
                if waiting[0].result is not None:
                    break
                # A stretch took a while to read; somebody may be done.
                if slot.result is not None:
                    self._collect(todo, timeout=0)
            while waiting and (done := waiting[0].result) is not None:
                waiting.popleft()
                yield done
            if waiting:
                self._collect(todo)
            elif not more:
                break
        if failure is not None:
            raise failure

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.connection.close()
            if worker.slot is not None:
                worker.process.kill()
        for worker in self._workers:
            worker.process.join()
        self._workers.clear()

    def _hand_out(self, todo: deque[_Slot]) -> None:
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

    def _collect(self, todo: deque[_Slot], timeout: float | None = None) -> None:
        """Wait until at least one worker is done or dead, or for `timeout` seconds; see to them."""
        busy = [worker.connection for worker in self._workers if worker.slot is not None]
        ready = wait(busy, timeout)
        for worker in [worker for worker in self._workers if worker.connection in ready]:
            try:
                answer = worker.connection.recv()
            except (EOFError, OSError):
                self._bury(worker, todo)
                continue
            if isinstance(answer, ChessMotifError):
                raise answer
            assert worker.slot is not None
            worker.slot.result, worker.slot.raw, worker.slot = answer, None, None

    def _bury(self, worker: _Worker, todo: deque[_Slot]) -> None:
        worker.connection.close()
        worker.process.kill()
        worker.process.join()
        self._workers.remove(worker)
        slot = worker.slot
        assert slot is not None
        assert slot.raw is not None
        slot.deaths += 1
        if slot.deaths < ATTEMPTS:
            todo.appendleft(slot)
        else:
            raw = slot.raw
            slot.result = GameResult(raw.number, raw.offset, raw.end, Skip.WORKER, f"{slot.deaths} times")

    def _start(self) -> _Worker:
        ours, theirs = _processes.Pipe()
        process = _processes.Process(target=_serve, args=(theirs, self.assignment), daemon=True)
        process.start()
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        return worker


def _slot(game: RawGame | Stretch | None) -> _Slot | None:
    if game is None:
        return None
    return _Slot(None, game) if isinstance(game, Stretch) else _Slot(game)


def _drop(waiting: deque[_Slot], todo: deque[_Slot]) -> None:
    """Take back the games that no worker has begun, and what could only come after them."""
    unbegun = {id(slot) for slot in todo}
    todo.clear()
    begun = list(takewhile(lambda slot: id(slot) not in unbegun, waiting))
    waiting.clear()
    waiting.extend(begun)


def _serve(connection: Connection, assignment: Assignment) -> None:
    # Ctrl-C reaches every process of the terminal; only the first one decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Miner(assignment) as miner:
            while True:
                connection.send(miner.mine(connection.recv()))
    except ChessMotifError as error:
        connection.send(error)
    except (EOFError, BrokenPipeError):
        return
