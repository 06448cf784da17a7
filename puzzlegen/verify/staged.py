"""Searches that end as soon as the answer to a question is clear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Protocol

import chess

from engines.engine import Variation
from engines.search_cache import Searcher, searched
from puzzlegen.rules import Stage


class Question(Protocol):
    """A question about the variations of a search."""

    @property
    def key(self) -> str:
        """What the answer depends on besides the variations, see `engines.engine.Until`."""

    def answer(self, variations: Sequence[Variation], slack: float = 0.0) -> int | None:
        """Return how many of the variations are right, None if that may still change.

        `slack` (in win chance) relaxes all thresholds.
        """


@dataclass(frozen=True)
class Staged:
    """A search that ends, by its `stages`, when more nodes are unlikely to change the answer."""

    stages: tuple[Stage, ...]
    question: Question

    @property
    def key(self) -> str:
        """A text that is equal for equal decisions, see `engines.engine.Until`."""
        stages = (
            f"Stage(nodes={one.nodes}, clear={one.clear}, hopeless={one.hopeless})" for one in self.stages
        )
        text = ", ".join(stages) + ("," if len(self.stages) == 1 else "")
        return self.question.key.replace("(", f"(stages=({text}), ", 1)

    def __call__(self, nodes: int, variations: Sequence[Variation]) -> bool:
        """Return whether the answer is clear from the variations after so many nodes."""
        stage = next((one for one in reversed(self.stages) if one.nodes <= nodes), None)
        if stage is None:
            # So early, only an answer that depends on no threshold is clear.
            return bool(self.question.answer(variations, -inf))
        if self.question.answer(variations, stage.hopeless) == 0:
            return True
        right = self.question.answer(variations, -stage.clear)
        return bool(right) and right == self.question.answer(variations, abs(stage.clear))

    def search(self, board: chess.Board, engine: Searcher, lines: int = 1) -> list[Variation]:
        """Return the best `lines` variations of a position, searched until the answer is clear."""
        return searched(engine, board, self.stages[-1].nodes, lines, until=self)

    def decision(self, variations: Sequence[Variation]) -> int | None:
        """Return the answer after a search that has ended."""
        return self.question.answer(variations, -self.stages[-1].clear)


@dataclass(frozen=True)
class Reached:
    """Whether the side that has just moved has a win chance of at least `least`."""

    least: float

    @property
    def key(self) -> str:
        """What the answer depends on."""
        return f"Reached(least={self.least})"

    def answer(self, variations: Sequence[Variation], slack: float = 0.0) -> int:
        """Return 1 if the win chance is reached, else 0."""
        return int(-variations[0].chance >= self.least - slack)
