"""What happened in the games that a search found: their results, and the moves played next.

Results and moves are given in the colours of the query: for a position found by reversed colours, White and
Black are exchanged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import chess

from motifsearch.positions.index import is_opening
from motifsearch.positions.searcher import PositionHit, PositionQuery

# The result of a game with colours reversed; a draw remains a draw.
_REVERSED = {"1-0": "0-1", "0-1": "1-0"}


@dataclass(frozen=True)
class Results:
    """The numbers of games won by White, drawn, won by Black, and with an unknown result."""

    white_won: int
    drawn: int
    black_won: int
    unknown: int

    @property
    def games(self) -> int:
        """The number of all games."""
        return self.white_won + self.drawn + self.black_won + self.unknown

    def score(self, side: chess.Color = chess.WHITE) -> float | None:
        """Return the points of `side` per game (0…1), None if no result is known."""
        known = self.games - self.unknown
        won = self.white_won if side else self.black_won
        return (won + self.drawn / 2) / known if known else None


@dataclass(frozen=True)
class NextMove:
    """A move that `side` played in some of the positions found, in SAN without check marks."""

    san: str
    side: chess.Color
    results: Results

    @property
    def score(self) -> float | None:
        """The points per game (0…1) of the side that played the move, None if no result is known."""
        return self.results.score(self.side)


@dataclass(frozen=True)
class Summary:
    """The results of the games, and the moves played next, the most frequent ones first.

    `reversed` games were found by reversed colours. A game that ended with its position has no next move.
    """

    results: Results
    reversed: int
    next_moves: Sequence[NextMove]


def summarise(hits: Sequence[PositionHit]) -> Summary:
    """Return what happened in the games of a search's results."""
    by_move: dict[tuple[str, chess.Color], list[PositionHit]] = {}
    for hit in hits:
        board, moves = hit.as_query()
        if moves:
            by_move.setdefault((board.san(moves[0]).rstrip("+#"), board.turn), []).append(hit)
    # Sorting is stable: of equally frequent moves, the move of the best search result comes first.
    most_frequent = sorted(by_move.items(), key=lambda item: -len(item[1]))
    next_moves = [NextMove(san, side, _results(played)) for (san, side), played in most_frequent]
    return Summary(_results(hits), sum(hit.reversed for hit in hits), next_moves)


def is_left_out(query: PositionQuery, hits: Sequence[PositionHit], opening: int) -> bool:
    """Return whether the query is probably not indexed: it is in the `opening`, and was not found."""
    placement = query.board.board_fen()
    found = any(hit.as_query()[0].board_fen() == placement for hit in hits)
    return not found and is_opening(query.board, opening, query.move)


def _results(hits: Sequence[PositionHit]) -> Results:
    counts = Counter(_result(hit) for hit in hits)
    white_won, drawn, black_won = counts["1-0"], counts["1/2-1/2"], counts["0-1"]
    return Results(white_won, drawn, black_won, len(hits) - white_won - drawn - black_won)


def _result(hit: PositionHit) -> str:
    """Return the result of the game with the colours of the query."""
    result = hit.game.game.result
    return _REVERSED.get(result, result) if hit.reversed else result
