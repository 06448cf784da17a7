"""Chesscone, which plays what was played in similar positions (Ajith, Gunnarsson & Xu, section 3.2).

Similar positions of the memory vote on the moves: what was played there, by whom, and how it ended. Beside
the votes counts the policy: the moves that the human-move model expects, and the outcome that it expects
after them.
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

# The constants of the vote and the policy were chosen by how good the moves are that they choose in 231
# positions of master games outside the memory, none of which is in the report.

# Positions that the published form asks for, and those that a vote needs: two thirds of the moves that were
# played in them are not legal.
PUBLISHED_NEIGHBOURS = 100
FETCHED = 1000

# Of a position that occurred so often, only its own occurrences vote.
WELL_KNOWN = 20

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

# How much the logarithm of a move's votes counts beside its score by the policy, and what is added to the
# votes.
VOTES = 0.5
NO_VOTES = 0.01

# The name of the option.
FORM = "Form"


class Form(StrEnum):
    """How moves are chosen.

    `published`: the move played in the nearest position, if it is legal, or else that of the next one, and
    so on; if none is, a random move. `memory`: by the vote of similar positions. `joined`: by that and by
    what people are expected to play.
    """

    PUBLISHED = "published"
    MEMORY = "memory"
    JOINED = "joined"


def chesscone_engine(database: str | None = None, memory: Path | None = None) -> MemoryEngine:
    """Return Chesscone as a UCI engine, see `MemoryEngine` for its arguments."""

    def chesscone(memory: Memory, model: HumanModel, values: Values) -> Chesscone:
        return Chesscone(memory, model, Form(str(values[FORM])), rating_of(values), bool(values[CAREFUL]))

    return MemoryEngine("Chesscone", chesscone, database, memory, Combo(FORM, Form.JOINED, [*Form]))


@dataclass(frozen=True)
class Chesscone:
    """Chooses moves by a memory, and in the joined form by a human-move model, too.

    The `model` is by default that of the memory, or else that of `load_human_model`; `rating` is the Elo of
    the people whose moves it expects. If it is `careful`, its moves pass the blunder check.

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
        """Raise `InputError` for a form or a rating that cannot be."""
        object.__setattr__(self, "form", arguments.one_of(Form, form=self.form))
        arguments.at_least(0, rating=self.rating)

    def moves(self, board: chess.Board, count: int = 1) -> list[MoveEvidence]:
        """Return the best `count` moves, best first, each with its expected outcome and its games.

        The board's move stack says what came before. There are no moves if the game is over, and fewer than
        `count` if fewer are legal. Raises `InputError` for a count below 1, `PositionError`, `StoreError`.
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
        """Return the moves in order of preference, and what the memory had to say.

        The board's move stack says what came before.
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
    """Return a higher score for a move the nearer the first position is in which it was played."""
    scores: dict[chess.Move, float] = {}
    for place, move in enumerate(neighbours.moves()):
        scores.setdefault(move, -float(place))
    return scores


def voters_among(board: chess.Board, neighbours: Neighbours) -> Neighbours:
    """Return the occurrences that vote: the nearest ones in which the move that was played is legal."""
    legal = [encode_move(move, board.turn) for move in board.legal_moves]
    voters = max(VOTERS, int(np.count_nonzero(neighbours.distances <= SAME)))
    nearest = np.flatnonzero(np.isin(neighbours.rows["move"], legal))[:voters]
    return Neighbours(board.turn, neighbours.rows[nearest], neighbours.distances[nearest])


def vote(board: chess.Board, voters: Neighbours) -> Mapping[chess.Move, float]:
    """Return the share of the votes (0…1) for each move that has any; empty without voters."""
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
