"""Stockfish's scores of all legal moves of a position, by which chosen moves are judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

import chess

from engines.engine import MOST_CENTIPAWNS, MOST_MOVES_TO_MATE
from engines.search_cache import Searcher

# Plies that every move is searched to.
DEPTH = 10

# Nodes that end a search before, so that none takes forever. Twenty positions of master games took 20,000 to
# 880,000 nodes, and 0.6 seconds on average.
NODES = 5_000_000

# The score of being mated at once, negative; mate in n is this less n, which is beyond all centipawns.
MATE = MOST_CENTIPAWNS + MOST_MOVES_TO_MATE + 1

# Centipawns that scores are limited to before a loss is taken: in a won position, it hardly matters how much.
MOST_LOST = 1_000


@dataclass(frozen=True)
class MoveScores:
    """The scores of all legal moves in centipawns from the mover's side, in the engine's order, best first.

    Mate in n is `MATE` - n, being mated in n is n - `MATE`.
    """

    scores: Mapping[chess.Move, int]

    @property
    def best(self) -> chess.Move:
        """The engine's best move, the first of several with the same score."""
        return next(iter(self.scores))

    def rank(self, move: chess.Move) -> int:
        """Return 1 + the number of moves with a higher score: moves with the same score share a rank."""
        return 1 + sum(score > self.scores[move] for score in self.scores.values())

    def loss(self, move: chess.Move) -> int:
        """Return how many centipawns a move loses compared with the best one, scores within ±`MOST_LOST`."""
        return _limited(self.scores[self.best]) - _limited(self.scores[move])

    def random_rank(self) -> float:
        """Return the expected rank of a move that is chosen at random."""
        return fmean(map(self.rank, self.scores))


def score_moves(board: chess.Board, searcher: Searcher) -> MoveScores:
    """Return the scores of all legal moves (at least one) after a search to `DEPTH` plies.

    The search begins with an empty hash table (see `engines.engine`), and knows nothing of the moves before:
    repetitions do not count. Raises `EngineFailedError`.
    """
    variations = searcher.search(board, NODES, board.legal_moves.count(), DEPTH)
    variations = sorted(variations, key=lambda variation: variation.score, reverse=True)
    return MoveScores({one.move: one.score.score(mate_score=MATE) for one in variations})


def _limited(score: int) -> int:
    return max(-MOST_LOST, min(MOST_LOST, score))
