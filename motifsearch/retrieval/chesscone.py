"""Chesscone, which plays what was played in similar positions (Ajith, Gunnarsson & Xu, section 3.2).

Similar positions of the memory vote on the moves, by what was played there, by whom, and with what result.
The votes are combined with the policy: the moves and the outcomes that the human-move model expects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import log
from pathlib import Path

import chess
import numpy as np

from chess_motif import arguments
from chess_motif.notation import check_position
from engines.human.model import HumanModel, load_human_model
from engines.uci_server import Combo
from motifsearch.retrieval.decision import Decision, by_score
from motifsearch.retrieval.embedding import RATING
from motifsearch.retrieval.engine import CAREFUL, MemoryEngine, Values, rating_of
from motifsearch.retrieval.evidence import MoveEvidence
from motifsearch.retrieval.folder import UNKNOWN, WIN, decode_move, encode_move
from motifsearch.retrieval.memory import SAME, Memory, Neighbours
from motifsearch.retrieval.policy import evidence_for, policy_scores

# The constants of the vote and the policy were chosen by the quality of the moves in 231 positions of master
# games outside the memory; no measurement in the documentation uses these positions.

# The numbers of neighbours for the published form and for a vote, which needs many: two thirds of the moves
# played in similar positions are not legal.
PUBLISHED_NEIGHBOURS = 100
FETCHED = 1000

# If the position occurred this often, similar positions do not vote.
WELL_KNOWN = 20

# The number of similar positions that vote, the nearest with a legal move. All occurrences of the position
# itself vote, too.
VOTERS = 100

# The squared distance beyond the nearest voter at which the weight of a voter falls by the factor 1/e.
REACH = 0.6

# The weight of a winner's move relative to that of a player who drew, as an exponent of e; for a loser it is
# negative.
WINNERS = 0.2

# The weight of the move of a player with 400 Elo more, as an exponent of e, and the Elo of players whose
# rating is not known.
RATED = 0.5
TYPICAL_ELO = 2400

# The weight of the logarithm of a move's votes relative to its score by the policy, and a number added to the
# votes, so that the logarithm is finite.
VOTES = 0.5
NO_VOTES = 0.01

# The name of the option.
FORM = "Form"


class Form(StrEnum):
    """How moves are chosen.

    `published`: the move played in the nearest position whose move is legal here, or else a random move.
    `memory`: by the vote of similar positions. `joined`: by this vote and the moves that people are expected
    to play.
    """

    PUBLISHED = "published"
    MEMORY = "memory"
    JOINED = "joined"


def chesscone_engine(database: str | None = None, memory: Path | None = None) -> MemoryEngine:
    """Return Chesscone as a UCI engine; for the arguments see `MemoryEngine`."""

    def chesscone(memory: Memory, model: HumanModel, values: Values) -> Chesscone:
        return Chesscone(memory, model, Form(str(values[FORM])), rating_of(values), bool(values[CAREFUL]))

    return MemoryEngine("Chesscone", chesscone, database, memory, Combo(FORM, Form.JOINED, [*Form]))


@dataclass(frozen=True)
class Chesscone:
    """Chooses moves by a memory, and in the joined form also by a human-move model.

    The default `model` is that of the memory, or else that of `load_human_model`; `rating` is the Elo of the
    people whose moves the model expects. With `careful`, moves are checked for blunders.

        with Store("games.db") as store:
            for seen in Chesscone(Memory(store)).moves(chess.Board(), 3):
                print(seen.move, seen.outcome, seen.record)
    """

    memory: Memory
    model: HumanModel | None = None
    form: Form = Form.JOINED
    rating: float = RATING
    careful: bool = True

    def __post_init__(self) -> None:
        """Raise `InputError` for an invalid form or rating."""
        object.__setattr__(self, "form", arguments.one_of(Form, form=self.form))
        arguments.at_least(0, rating=self.rating)

    def moves(self, board: chess.Board, count: int = 1) -> list[MoveEvidence]:
        """Return the best `count` moves, best first, each with its expected outcome and its games.

        The board's move stack is used to recognise repetitions. There are no moves if the game is over, and
        fewer than `count` if fewer are legal. Raises `InputError` for a count below 1, `PositionError`,
        `StoreError`.
        """
        arguments.at_least(1, count=count)
        check_position(board)
        if board.is_game_over():
            return []
        decision = self.decide(board)
        chosen = decision.moves[:count]
        return evidence_for(board, chosen, decision.voters, self.memory, self._model, self.rating)

    @cached_property
    def _model(self) -> HumanModel:
        return self.model or self.memory.model or load_human_model()

    def decide(self, board: chess.Board) -> Decision:
        """Return the moves in order of preference, and what the memory says about them.

        The board's move stack is used to recognise repetitions.
        """
        if self.form is Form.PUBLISHED:
            neighbours = self.memory.near(board, PUBLISHED_NEIGHBOURS)
            return Decision(by_score(board, _first_played(neighbours), careful=self.careful), {}, neighbours)
        exact = self.memory.exact(board)
        well_known = len(exact) >= WELL_KNOWN
        voters = voters_among(board, exact if well_known else self.memory.near(board, FETCHED))
        votes = vote(board, voters)
        scores = votes if self.form is Form.MEMORY else self._joined(board, votes)
        return Decision(by_score(board, scores, careful=self.careful), votes, voters, well_known)

    def _joined(self, board: chess.Board, votes: Mapping[chess.Move, float]) -> dict[chess.Move, float]:
        expected = policy_scores(self._model, board, self.rating)
        return {
            move: score + VOTES * log(votes.get(move, 0.0) + NO_VOTES) for move, score in expected.items()
        }


def _first_played(neighbours: Neighbours) -> dict[chess.Move, float]:
    """Return scores of moves: the nearer the first position with a move, the higher is its score."""
    scores: dict[chess.Move, float] = {}
    for place, move in enumerate(neighbours.moves()):
        scores.setdefault(move, -float(place))
    return scores


def voters_among(board: chess.Board, neighbours: Neighbours) -> Neighbours:
    """Return the occurrences that vote: the nearest whose move is legal in the position."""
    legal = [encode_move(move, board.turn) for move in board.legal_moves]
    voters = max(VOTERS, int(np.count_nonzero(neighbours.distances <= SAME)))
    nearest = np.flatnonzero(np.isin(neighbours.rows["move"], legal))[:voters]
    return Neighbours(board.turn, neighbours.rows[nearest], neighbours.distances[nearest])


def vote(board: chess.Board, voters: Neighbours) -> Mapping[chess.Move, float]:
    """Return the share of the votes (0…1) for each move that has votes."""
    if not len(voters):
        return {}
    rows, distances = voters.rows, voters.distances
    points = np.where(rows["points"] == UNKNOWN, WIN / 2, rows["points"]) - WIN / 2
    elo = np.where(rows["elo"] == UNKNOWN, TYPICAL_ELO, rows["elo"]) - TYPICAL_ELO
    weights = np.exp((distances[0] - distances) / REACH + WINNERS * points + RATED * elo / 400)
    numbers, which = np.unique(rows["move"], return_inverse=True)
    votes = np.bincount(which, weights)
    return {
        decode_move(int(number), board.turn): float(votes[place] / votes.sum())
        for place, number in enumerate(numbers)
    }
