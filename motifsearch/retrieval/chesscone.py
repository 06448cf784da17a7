"""Chesscone, which plays what was played in similar positions (Ajith, Gunnarsson & Xu, section 3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from math import log

import chess

from engines.human.model import HumanModel
from motifsearch.retrieval.caution import cautious
from motifsearch.retrieval.decision import Decision, by_score
from motifsearch.retrieval.intuition import move_scores
from motifsearch.retrieval.memory.human_embedding import RATING
from motifsearch.retrieval.memory.memory import Memory, Recollection
from motifsearch.retrieval.vote import vote

# Positions that the published form asks for.
NEIGHBOURS = 100

# Positions that a vote needs: two thirds of the moves that were played in them are not legal.
FETCHED = 1000

# Of a position that occurred so often, only its own occurrences vote.
WELL_KNOWN = 20

# How much the logarithm of a move's votes counts beside its score by the human-move model, and what is added
# to the votes. Chosen as the constants of `motifsearch.retrieval.vote` were.
VOTES = 0.5
NO_VOTES = 0.01


class Form(StrEnum):
    """How moves are chosen.

    `published`: the move played in the nearest position, if it is legal, or else that of the next one, and
    so on; if none is, a random move. `memory`: by the vote of similar positions. `joined`: by that and by
    what people are expected to play.
    """

    PUBLISHED = "published"
    MEMORY = "memory"
    JOINED = "joined"


class Chesscone:
    """Chooses moves by a memory, by a human-move model, or by both.

    Without a `memory`, it plays by the model alone, whatever the form. `rating` is the Elo of the people
    whose moves the model expects. If it is `careful`, it follows the rules of
    `motifsearch.retrieval.caution`. Reports call it `name`.
    """

    def __init__(
        self,
        memory: Memory | None,
        model: HumanModel,
        *,
        form: Form = Form.JOINED,
        rating: float = RATING,
        careful: bool = True,
        name: str = "chesscone",
    ) -> None:
        self.name = name
        self._memory, self._model = memory, model
        self._form, self._rating, self._careful = form, rating, careful

    def ranked(self, board: chess.Board) -> list[chess.Move]:
        """Return all legal moves, the chosen one first. The board's move stack says what came before."""
        return list(self.decide(board).moves)

    def decide(self, board: chess.Board) -> Decision:
        """Return the moves in order of preference, and what the memory had to say."""
        if self._memory is None:
            return Decision(self._ordered(board, move_scores(self._model, board, self._rating)), {})
        if self._form is Form.PUBLISHED:
            recollection = self._memory.near(board, NEIGHBOURS)
            return Decision(self._ordered(board, _first_played(recollection)), {}, recollection)
        exact = self._memory.exact(board)
        well_known = len(exact) >= WELL_KNOWN
        recollection = exact if well_known else self._memory.near(board, FETCHED)
        votes = vote(board, recollection)
        scores = votes if self._form is Form.MEMORY else self._joined(board, votes)
        return Decision(self._ordered(board, scores), votes, recollection, well_known)

    def _joined(self, board: chess.Board, votes: Mapping[chess.Move, float]) -> dict[chess.Move, float]:
        expected = move_scores(self._model, board, self._rating)
        return {
            move: score + VOTES * log(votes.get(move, 0.0) + NO_VOTES) for move, score in expected.items()
        }

    def _ordered(self, board: chess.Board, scores: Mapping[chess.Move, float]) -> list[chess.Move]:
        moves = by_score(board, scores)
        return cautious(board, moves) if self._careful else moves


def _first_played(recollection: Recollection) -> dict[chess.Move, float]:
    """Return a higher score for a move the nearer the first position is in which it was played."""
    scores: dict[chess.Move, float] = {}
    for place, move in enumerate(recollection.moves()):
        scores.setdefault(move, -float(place))
    return scores
