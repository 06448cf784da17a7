"""An engine that repeats no search: results of earlier searches are reused.

The result of a search depends only on the position, the limits and the engine's settings (see
`engines.engine`), so reusing results changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING, Protocol

import chess

from chess_motif.errors import EngineFailedError, StoreError
from chess_motif.search import Search
from engines.engine import MOST_CENTIPAWNS, Engine, Until, Variation
from engines.winchance import win_chance

if TYPE_CHECKING:
    from chess.engine import Score

# Returns the stored results of searches; a search without a result is left out. A result may have more
# variations than were asked for.
Lookup = Callable[[Sequence[Search]], dict[Search, str]]


class Searcher(Protocol):
    """Anything that searches a position for its best variations."""

    def search(
        self,
        board: chess.Board,
        nodes: int,
        lines: int = 1,
        depth: int | None = None,
        until: Until | None = None,
    ) -> list[Variation]:
        """Return the best `lines` variations, best first, see `Engine.search`."""


def searched(
    searcher: Searcher,
    board: chess.Board,
    nodes: int,
    lines: int = 1,
    depth: int | None = None,
    until: Until | None = None,
) -> list[Variation]:
    """Return the variations of a position that has a legal move.

    Raises `EngineFailedError` if the searcher returns none.
    """
    variations = searcher.search(board, nodes, lines, depth, until)
    if not variations:
        raise EngineFailedError(f"the engine gave no variation at {board.fen()}")
    return variations


def chance_reached(searcher: Searcher, board: chess.Board, nodes: int, until: Until | None = None) -> float:
    """Return the win chance (-1…1) of the side that has just moved, also if the game is over."""
    if board.is_game_over():
        return 1.0 if board.is_checkmate() else 0.0
    return -searched(searcher, board, nodes, until=until)[0].chance


class CachedEngine:
    """A `Searcher` with a cache.

    `found` has the results of new searches, for the caller to store; `reused` counts the results that were
    reused. `has_claims` says whether these may include results that somebody else claims to have found.
    """

    def __init__(self, engine: Engine, lookup: Lookup | None = None, claims: Lookup | None = None) -> None:
        """Search with `engine` if neither `lookup` nor `claims`, for results of others, has the result."""
        self.engine = engine
        self.found: dict[Search, str] = {}
        self.reused = 0
        self.has_claims = claims is not None
        self._lookup, self._claims = lookup, claims
        self._looked_up: dict[Search, str] = {}
        self._claimed: dict[Search, str] = {}
        self._believing = True

    def begin(self) -> None:
        """Forget all results, and reset `reused`."""
        self.found, self._looked_up, self._claimed, self.reused = {}, {}, {}, 0

    @contextmanager
    def checking_claims(self) -> Iterator[None]:
        """Do not reuse in the block what only others claim to have found."""
        self._believing = False
        try:
            yield
        finally:
            self._believing = True

    def look_up(self, boards: Sequence[chess.Board], nodes: int) -> None:
        """Look up many positions at once, each of which will be searched for one variation."""
        self._look_up([Search.of(board, self.engine.settings, nodes, 1) for board in boards])

    def _look_up(self, searches: Sequence[Search]) -> None:
        if self._lookup is not None:
            self._looked_up |= self._lookup(searches)
        if self._claims is not None:
            self._claimed |= self._claims([each for each in searches if each not in self._looked_up])

    def search(
        self,
        board: chess.Board,
        nodes: int,
        lines: int = 1,
        depth: int | None = None,
        until: Until | None = None,
    ) -> list[Variation]:
        """Return the best `lines` variations, see `Engine.search`.

        Raises `EngineFailedError`, and `StoreError` if a stored result is damaged.
        """
        settings = self.engine.settings
        if until is not None:
            settings += f", until clear {blake2b(until.key.encode(), digest_size=4).hexdigest()}"
        search = Search.of(board, settings, nodes, lines, depth)
        if not any(search in known for known in (self.found, self._looked_up, self._claimed)):
            self._look_up([search])
        text = self.found.get(search) or self._looked_up.get(search)
        if text is None and self._believing:
            text = self._claimed.get(search)
        if text is not None:
            self.reused += 1
            return variations_of(text, self.engine.scale)[:lines]
        variations = self.engine.search(board, nodes, lines, depth, until)
        self.found[search] = _as_text(variations)
        return variations


def _as_text(variations: Sequence[Variation]) -> str:
    """Return variations as `score move move;score move`. Scores are centipawns, or `#` and moves to mate."""
    return ";".join(
        " ".join([_score_as_text(variation.score), *(move.uci() for move in variation.moves)])
        for variation in variations
    )


def _score_as_text(score: Score) -> str:
    mate = score.mate()
    return str(score.score()) if mate is None else f"#{mate}"


def legal_variations(board: chess.Board, text: str) -> list[Variation]:
    """Return the variations of a stored result as `variations_of` does, after checking that they are legal.

    Raises `StoreError` if the text is not a result, or if a move is not legal.
    """
    variations = variations_of(text)
    for variation in variations:
        position = board.copy(stack=False)
        for move in variation.moves:
            if not position.is_legal(move):
                raise StoreError(f"{move.uci()} is not legal in the position {position.fen()}")
            position.push(move)
    return variations


def variations_of(text: str, scale: float = 1.0) -> list[Variation]:
    """Return the variations of a stored result. `scale` is the engine's, see `centipawn_scale`.

    Raises `StoreError` if the text is not a result.
    """
    try:
        return [_variation(part, scale) for part in text.split(";")]
    except ValueError as error:
        raise StoreError(f"the database is damaged: {text!r:.40} is not the result of a search") from error


def _variation(text: str, scale: float) -> Variation:
    # Imported only here, as in `engines.engine`.
    from chess.engine import Cp, Mate

    value, first, *others = text.split()
    number = int(value.removeprefix("#"))
    # No engine says more: see `engines.engine`.
    if abs(number) > MOST_CENTIPAWNS:
        raise ValueError(f"{value} is no score")
    score = Mate(number) if value.startswith("#") else Cp(number)
    return Variation(tuple(map(chess.Move.from_uci, [first, *others])), score, win_chance(score, scale))
