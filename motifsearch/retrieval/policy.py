"""The moves and results that are expected of people in a position, by the human-move model alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import chess
import numpy as np

from engines.human.model import HumanModel
from motifsearch.retrieval.decision import Decision, by_score, is_drawn
from motifsearch.retrieval.evidence import MoveEvidence, expected_outcome, records_of
from motifsearch.retrieval.memory import Memory, Neighbours

# The weight of the expected result after a move (-1…1) relative to the logarithm of the move's probability,
# and the least probability, so that logarithms are finite. Chosen in the same way as the constants of
# `motifsearch.retrieval.chesscone`.
OUTCOME = 4.0
LEAST = 1e-9


@dataclass(frozen=True)
class PolicyPlayer:
    """Chooses moves by the human-move model alone, as people with the Elo `rating` play.

    A `careful` player checks its moves for blunders.
    """

    model: HumanModel
    rating: float
    careful: bool = True

    def decide(self, board: chess.Board) -> Decision:
        """Return the moves in order of preference."""
        scores = policy_scores(self.model, board, self.rating)
        return Decision(by_score(board, scores, careful=self.careful), {})


def policy_scores(model: HumanModel, board: chess.Board, rating: float) -> Mapping[chess.Move, float]:
    """Return a score for each legal move, higher for better moves; only differences are meaningful.

    A score is the logarithm of the probability that a player of this Elo plays the move, plus the weighted
    expected result. Without castling rights, the probability is the geometric mean of those in the position
    and in its mirror image (a-file for h-file), which the network does not know to be the same.
    """
    moves = list(board.legal_moves)
    (seen,) = model.predict([board], [rating])
    scores = np.log([max(seen.moves[move], LEAST) for move in moves])
    if not board.clean_castling_rights():
        (mirrored,) = model.predict([board.transform(chess.flip_horizontal)], [rating])
        scores += np.log([max(mirrored.moves[_mirrored_move(move)], LEAST) for move in moves])
        scores /= 2
    scores += OUTCOME * np.array(expected_results(model, board, moves, rating))
    return dict(zip(moves, scores.tolist(), strict=True))


def _mirrored_move(move: chess.Move) -> chess.Move:
    return chess.Move(move.from_square ^ 7, move.to_square ^ 7, move.promotion)


def expected_results(
    model: HumanModel, board: chess.Board, moves: Sequence[chess.Move], rating: float
) -> list[float]:
    """Return the result (-1…1) that the model expects for the side to move after each of the moves."""
    after = []
    for move in moves:
        board.push(move)
        after.append(board.copy(stack=8))
        board.pop()
    expected = [-prediction.value for prediction in model.predict(after, len(after) * [rating])]
    return [_certain(position, value) for position, value in zip(after, expected, strict=True)]


def evidence_for(
    board: chess.Board,
    moves: Sequence[chess.Move],
    voters: Neighbours | None,
    memory: Memory | None,
    model: HumanModel,
    rating: float,
) -> list[MoveEvidence]:
    """Return for each move its expected outcome, and the games of the `memory` in which it was played.

    `voters` are the positions of the memory that count. Raises `StoreError`.
    """
    records = {} if voters is None else records_of(voters)
    numbers = [records[move].game for move in moves if move in records]
    games = memory.games(numbers) if memory else {}
    found = []
    for move, result in zip(moves, expected_results(model, board, moves, rating), strict=True):
        record = records.get(move)
        outcome = expected_outcome(result, rating, record)
        found.append(MoveEvidence(move, outcome, record, games.get(record.game) if record else None))
    return found


def _certain(board: chess.Board, expected: float) -> float:
    """Return the result for the side that just moved: the `expected` result unless the game is over."""
    if board.is_checkmate():
        return 1.0
    return 0.0 if is_drawn(board) else expected
