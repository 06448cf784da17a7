"""Chesscone, which plays what was played in similar positions (Ajith, Gunnarsson & Xu, section 3.2).

A vote of similar positions over the moves: what was played there, by whom, and how it ended.

What the human-move model alone makes of the moves of a position.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from math import log

import chess
import numpy as np

from engines.human.model import HumanModel
from motifsearch.retrieval.embedding import RATING
from motifsearch.retrieval.engine import Decision, by_score, cautious, is_drawn
from motifsearch.retrieval.folder import UNKNOWN, WIN, encode_move
from motifsearch.retrieval.memory import SAME, Memory, Recollection

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


# The least probability of a move, so that logarithms are finite.
LEAST = 1e-9

# How much the outcome that the model expects after a move (-1…1) counts beside the logarithm of the move's
# probability. Chosen as the constants of `motifsearch.retrieval.chesscone` were.
OUTCOME = 4.0


def move_scores(model: HumanModel, board: chess.Board, rating: float) -> Mapping[chess.Move, float]:
    """Return a score for each legal move, higher ones for better moves; differences matter only.

    It is the logarithm of the probability that a player of this Elo plays the move, and the outcome expected
    after it. Without castling rights, the probability is the geometric mean of that of the position and that
    of its mirror image, with the a-file for the h-file: the network does not know that both are the same.
    """
    moves = list(board.legal_moves)
    (seen,) = model.predict([board], [rating])
    scores = np.log([max(seen.moves[move], LEAST) for move in moves])
    if not board.clean_castling_rights():
        (mirrored,) = model.predict([board.transform(chess.flip_horizontal)], [rating])
        scores += np.log([max(mirrored.moves[_mirrored_move(move)], LEAST) for move in moves])
        scores /= 2
    scores += OUTCOME * np.array(_outcomes(model, board, moves, rating))
    return dict(zip(moves, scores.tolist(), strict=True))


def _mirrored_move(move: chess.Move) -> chess.Move:
    return chess.Move(move.from_square ^ 7, move.to_square ^ 7, move.promotion)


def _outcomes(model: HumanModel, board: chess.Board, moves: list[chess.Move], rating: float) -> list[float]:
    """Return the outcome (-1…1) that the model expects for the side to move after each of the moves."""
    after = []
    for move in moves:
        board.push(move)
        after.append(board.copy(stack=8))
        board.pop()
    expected = [-prediction.value for prediction in model.predict(after, len(after) * [rating])]
    return [_certain(position, value) for position, value in zip(after, expected, strict=True)]


def _certain(board: chess.Board, expected: float) -> float:
    """Return the outcome for the side that just moved: the expected one unless the game is over."""
    if board.is_checkmate():
        return 1.0
    return 0.0 if is_drawn(board) else expected


# Positions that the published form asks for.
NEIGHBOURS = 100

# Positions that a vote needs: two thirds of the moves that were played in them are not legal.
FETCHED = 1000

# Of a position that occurred so often, only its own occurrences vote.
WELL_KNOWN = 20

# How much the logarithm of a move's votes counts beside its score by the human-move model, and what is added
# to the votes. Chosen as the constants of `motifsearch.retrieval.chesscone` were.
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
    `motifsearch.retrieval.engine`. Reports call it `name`.
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
