"""An engine that searches nothing twice: results of earlier searches are reused.

What a search finds depends on the position, the budget and the engine's settings alone (see
`engines.engine`). A result is therefore the same, whichever searches it was reused from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Protocol

import chess
from chess.engine import Cp, Mate, Score

from engines.engine import Engine, Variation
from engines.winchance import win_chance

# Returns what is known under each of some keys; unknown ones are left out.
Known = Callable[[Sequence[bytes]], dict[bytes, str]]


class Searcher(Protocol):
    """Anything that finds the best variations of a position."""

    def search(self, board: chess.Board, nodes: int, lines: int = 1) -> list[Variation]:
        """Return the best `lines` variations, best first, see `Engine.search`."""


class CachedEngine:
    """A `Searcher` that remembers. `found` has the results of its own searches by key, for keeping.

    `reused` counts the searches that were not necessary.
    """

    def __init__(self, engine: Engine, known: Known | None = None) -> None:
        """Search with `engine` what `known` does not know."""
        self.engine = engine
        self.found: dict[bytes, str] = {}
        self.reused = 0
        self._known = known
        self._looked_up: dict[bytes, str] = {}

    def begin(self) -> None:
        """Forget all results, and count from zero."""
        self.found, self._looked_up, self.reused = {}, {}, 0

    def look_up(self, boards: Sequence[chess.Board], nodes: int) -> None:
        """Look up many positions at once that will be searched for one variation each."""
        if self._known is not None:
            self._looked_up |= self._known([self._key(board, nodes, 1) for board in boards])

    def search(self, board: chess.Board, nodes: int, lines: int = 1) -> list[Variation]:
        """Return the best `lines` variations, see `Engine.search`. Raises `EngineFailedError`."""
        key = self._key(board, nodes, lines)
        if key not in self.found and key not in self._looked_up and self._known is not None:
            self._looked_up |= self._known([key])
        text = self.found.get(key) or self._looked_up.get(key)
        if text is not None:
            self.reused += 1
            return _from_text(text, self.engine.scale)
        variations = self.engine.search(board, nodes, lines)
        self.found[key] = _as_text(variations)
        return variations

    def _key(self, board: chess.Board, nodes: int, lines: int) -> bytes:
        # The number of the move means nothing to an engine; the clock of the fifty-move rule does.
        facts = f"{board.epd()} {board.halfmove_clock}\n{self.engine.settings}\n{nodes}\n{lines}"
        return hashlib.blake2b(facts.encode(), digest_size=16).digest()


def _as_text(variations: Sequence[Variation]) -> str:
    """Write variations as `score move move;score move`: centipawns, or `#` and moves to mate."""
    return ";".join(
        " ".join([_score_as_text(found.score), *(move.uci() for move in found.moves)]) for found in variations
    )


def _score_as_text(score: Score) -> str:
    mate = score.mate()
    return str(score.score()) if mate is None else f"#{mate}"


def _from_text(text: str, scale: float) -> list[Variation]:
    variations = []
    for part in text.split(";"):
        value, *moves = part.split()
        score = Mate(int(value[1:])) if value.startswith("#") else Cp(int(value))
        variations.append(Variation(tuple(map(chess.Move.from_uci, moves)), score, win_chance(score, scale)))
    return variations
