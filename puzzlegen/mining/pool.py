"""A pool of miners, and what all pools share: games in, their results out in the same order.

Only a bounded window of games is on its way at a time. Where the miners are, and what happens when
one is lost, each kind of pool sees to itself: `workers.LocalPool` on this computer, `cluster.DaskPool`
on many.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Self

from chess_motif.errors import ChessMotifError
from puzzlegen.candidates.sift import SkippedSpan
from puzzlegen.games.pgn import Skip
from puzzlegen.games.split import RawGame
from puzzlegen.mining.game_job import GameResult

# Games read ahead, per game that is worked on at a time: enough that a long game does not leave the
# other miners idle.
AHEAD = 8

# Results and stretches that may wait for an earlier game.
MOST_WAITING = 20_000


@dataclass
class Slot:
    """A game on its way: its text until it is done, what came of it, and the miners lost on it.

    Or a stretch, which is its own result.
    """

    raw: RawGame | None
    result: GameResult | SkippedSpan | None = None
    losses: int = 0

    def finish(self, result: GameResult) -> None:
        """Keep the result, and the text no longer."""
        self.result, self.raw = result, None

    def set_aside(self) -> None:
        """Give the game up: it has cost too many miners."""
        assert self.raw is not None
        raw = self.raw
        self.finish(GameResult(raw.number, raw.offset, raw.end, Skip.WORKER, f"{self.losses} times"))


class Pool(ABC):
    """GameWorkers with the same config. Use it in a `with` statement."""

    @abstractmethod
    def engine_name(self) -> str:
        """Return what the miners' engine calls itself. Raises `EngineError`, `ClusterError`."""

    def results(
        self, games: Iterable[RawGame | SkippedSpan], stopped: Callable[[], bool] = lambda: False
    ) -> Iterator[GameResult | SkippedSpan]:
        """Yield a result for each game, in order; stretches between the games pass through.

        When `stopped` says so, no more games are begun and those at hand are finished. An error
        that `games` raises comes out after the results of what it gave before. Raises what a miner
        cannot get over, such as `EngineMissingError`.
        """
        source = iter(games)
        waiting: deque[Slot] = deque()
        todo: deque[Slot] = deque()
        more, failure = True, None
        while True:
            if stopped():
                more = False
                _drop(waiting, todo)
            self._hand_out(todo)
            while more and len(todo) < self._places() * AHEAD and len(waiting) < MOST_WAITING:
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
                    self._collect(todo, wait=False)
            while waiting and (done := waiting[0].result) is not None:
                waiting.popleft()
                yield done
            if waiting:
                self._collect(todo, wait=True)
            elif not more:
                break
        if failure is not None:
            raise failure

    @abstractmethod
    def _places(self) -> int:
        """Return how many games are worked on at a time, at least 1."""

    @abstractmethod
    def _hand_out(self, todo: deque[Slot]) -> None:
        """Begin games from the front of `todo`, as many as there is room for."""

    @abstractmethod
    def _collect(self, todo: deque[Slot], *, wait: bool) -> None:
        """Fill in the results that are there; with `wait`, wait for one, though not for ever.

        Games that lost their miner go back to the front of `todo`, or are set aside.
        """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Let the miners go, those at work included."""


def _slot(game: RawGame | SkippedSpan | None) -> Slot | None:
    if game is None:
        return None
    return Slot(None, game) if isinstance(game, SkippedSpan) else Slot(game)


def _drop(waiting: deque[Slot], todo: deque[Slot]) -> None:
    """Take back the games that no miner has begun, and what could only come after them."""
    unbegun = {id(slot) for slot in todo}
    todo.clear()
    begun = list(takewhile(lambda slot: id(slot) not in unbegun, waiting))
    waiting.clear()
    waiting.extend(begun)
