"""A vote of similar positions over the moves: what was played there, by whom, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping

import chess
import numpy as np

from motifsearch.retrieval.memory.memory import SAME, Recollection
from motifsearch.retrieval.memory.parts import UNKNOWN, WIN, encode_move

# All of these were chosen by how good the moves are that they choose in 231 positions of master games outside
# the memory, none of which is in the report.

# Occurrences that vote, the nearest ones in which the move that was played is legal, and all of the position
# itself.
VOTERS = 100

# The squared distance, beyond that of the nearest one, at which a voter counts 1/e as much.
REACH = 0.6

# How much more the move of a winner counts than that of a player who drew, as an exponent of e; as much less
# that of a loser.
WINNERS = 0.2

# How much more the move of a player counts who has 400 Elo more, as an exponent of e, and the Elo of players
# whose rating is not known.
RATED = 0.5
TYPICAL_ELO = 2400


def vote(board: chess.Board, recollection: Recollection) -> Mapping[chess.Move, float]:
    """Return the share of the votes (0…1) for each legal move that has any; empty if none has."""
    moves = {encode_move(move, board.turn): move for move in board.legal_moves}
    voters = max(VOTERS, int(np.count_nonzero(recollection.distances <= SAME)))
    legal = np.flatnonzero(np.isin(recollection.rows["move"], list(moves)))[:voters]
    if not len(legal):
        return {}
    rows, distances = recollection.rows[legal], recollection.distances[legal]
    points = np.where(rows["points"] == UNKNOWN, WIN / 2, rows["points"]) - WIN / 2
    elo = np.where(rows["elo"] == UNKNOWN, TYPICAL_ELO, rows["elo"]) - TYPICAL_ELO
    weights = np.exp((distances[0] - distances) / REACH + WINNERS * points + RATED * elo / 400)
    numbers, which = np.unique(rows["move"], return_inverse=True)
    votes = np.bincount(which, weights)
    return {moves[int(number)]: float(votes[place] / votes.sum()) for place, number in enumerate(numbers)}
