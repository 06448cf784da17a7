"""How likely people are to find the solution of a puzzle, by a model of how people move."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import chess

from engines.human.model import HumanModel, Prediction
from puzzlegen.difficulty.problem import DESCRIBED_MOVES, Problem
from puzzlegen.verify.ending import mates

# The players who are asked, by Elo. A third one adds nothing that can be measured.
RATINGS = (1100, 1900)

# What is known of each of the first moves.
OF_MOVE = ("log_P", "rank", "entropy", "largest_wrong_P", "value", "value_after")

# No move has a lower probability: one in a billion is no more hopeless than one in a million.
LEAST_CHANCE = 1e-6


def human_features(problem: Problem, model: HumanModel, ratings: Sequence[int] = RATINGS) -> dict[str, float]:
    """Return the features of a problem by name; the model is asked about players of these `ratings`."""
    # Nobody is asked about the end, except what they think of a first move that is the only one.
    boards = problem.boards()[: max(2, len(problem.moves))]
    predictions = model.predict(len(ratings) * list(boards), [rating for rating in ratings for _ in boards])
    tempting = [
        _after(problem.position, _most_tempting(predictions[number * len(boards)], problem.moves[0]))
        for number in range(len(ratings))
    ]
    tempted = model.predict(tempting, ratings)
    solutions = [_solutions(*ply) for ply in zip(boards, problem.moves, strict=False)]
    values: dict[str, float] = {}
    for number, rating in enumerate(ratings):
        seen = predictions[number * len(boards) : (number + 1) * len(boards)]
        of_player = _of_player(problem.moves, seen, solutions)
        of_player["value_of_wrong"] = -tempted[number].value
        values |= {f"{name}@{rating}": value for name, value in of_player.items()}
    return values


def _of_player(
    moves: Sequence[chess.Move],
    predictions: Sequence[Prediction],
    solutions: Sequence[Collection[chess.Move]],
) -> dict[str, float]:
    plies = list(zip(predictions, moves, solutions, strict=False))
    chances = [sum(seen.moves.get(move, 0) for move in found) for seen, _, found in plies]
    logs = [math.log(max(chance, LEAST_CHANCE)) for chance in chances]
    own, replies = logs[::2], logs[1::2]
    values = {
        "log_P": sum(own),
        "log_P_after_the_first": sum(own[1:]),
        "least_log_P": min(own),
        "log_P_of_replies": sum(replies),
        "worst_rank": max(_rank(prediction.moves, move) for prediction, move, _ in plies[::2]),
        "last_value": plies[-1][0].value,
    }
    for number in range(DESCRIBED_MOVES):
        ply, of_move = 2 * number, dict.fromkeys(OF_MOVE, math.nan)
        if ply < len(plies):
            prediction, move, _ = plies[ply]
            of_move |= {"log_P": logs[ply], "value": prediction.value} | _among_others(prediction, move)
        if ply + 1 < len(predictions):
            of_move["value_after"] = -predictions[ply + 1].value
        values |= {f"{name}({number + 1})": value for name, value in of_move.items()}
    return values


def _among_others(prediction: Prediction, solution: chess.Move) -> dict[str, float]:
    chances = prediction.moves
    return {
        "rank": _rank(chances, solution),
        "entropy": -sum(chance * math.log(chance) for chance in chances.values() if chance > 0),
        "largest_wrong_P": max((chance for move, chance in chances.items() if move != solution), default=0.0),
    }


def _most_tempting(prediction: Prediction, solution: chess.Move) -> chess.Move:
    """Return the likeliest move that is not the solution, or the solution if there is no other."""
    return next((move for move in prediction.moves if move != solution), solution)


def _after(board: chess.Board, move: chess.Move) -> chess.Board:
    after = board.copy()
    after.push(move)
    return after


def _solutions(board: chess.Board, move: chess.Move) -> list[chess.Move]:
    """Return the moves that are as right as a move of the solution: if it mates, all that mate."""
    return [other for other in board.legal_moves if mates(board, other)] if mates(board, move) else [move]


def _rank(moves: Mapping[chess.Move, float], move: chess.Move) -> int:
    """Return the place of a move among the moves by probability, from 1."""
    return 1 + list(moves).index(move)
