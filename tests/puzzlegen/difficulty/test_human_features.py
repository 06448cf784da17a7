"""Tests of how likely people are to find a solution."""

from __future__ import annotations

import math
from collections.abc import Sequence

import chess
import pytest

from engines.human.model import HumanModel, Prediction
from puzzlegen.difficulty.rating import LEAST_CHANCE, Problem, human_features
from tests.helpers.solutions import parsed

# Queen and rook both mate on the eighth rank.
TWO_MATES = "6k1/5ppp/8/8/8/8/8/QR5K w - - 0 1"


class FixedPredictions(HumanModel):
    """People who play the moves of `chances` as often as that, and share the rest among all others."""

    def __init__(self, chances: dict[str, float]) -> None:
        self.chances = {chess.Move.from_uci(move): chance for move, chance in chances.items()}
        self.asked: list[float] = []

    def predict(
        self, boards: Sequence[chess.Board], ratings: Sequence[float] | None = None
    ) -> list[Prediction]:
        self.asked += ratings or []
        return [self._prediction(board) for board in boards]

    def _prediction(self, board: chess.Board) -> Prediction:
        legal = list(board.legal_moves)
        rest = (1 - sum(self.chances.get(move, 0) for move in legal)) / max(1, len(legal))
        moves = {move: self.chances.get(move, 0) + rest for move in legal}
        return Prediction(dict(sorted(moves.items(), key=lambda item: -item[1])), 0.5 if board.turn else -0.5)


def features_of(chances: dict[str, float], line: str, fen: str = TWO_MATES) -> dict[str, float]:
    board, moves = parsed(fen, line)
    problem = Problem(board, tuple(moves))
    return human_features(problem, FixedPredictions(chances), (1500,))


def test_all_mates_count_as_one() -> None:
    values = features_of({"b1b8": 0.5, "a1a8": 0.25, "a1g7": 0.25}, "b1b8")
    assert math.exp(values["log_P(1)@1500"]) == pytest.approx(0.75)


def test_the_most_tempting_wrong_move() -> None:
    values = features_of({"a1g7": 0.6, "b1b8": 0.4}, "b1b8")
    assert (values["rank(1)@1500"], values["largest_wrong_P(1)@1500"]) == pytest.approx((2, 0.6))


def test_a_move_that_nobody_plays() -> None:
    values = features_of({"a1g7": 1.0}, "b1b8")
    assert values["least_log_P@1500"] == math.log(LEAST_CHANCE)


def test_values_are_those_of_the_solver() -> None:
    values = features_of({}, "a1g7")
    assert (values["value(1)@1500"], values["value_after(1)@1500"]) == (0.5, 0.5)


def test_every_solver_move_is_asked_about() -> None:
    chances = {"h1h8": 0.5, "d1h1": 0.25, "h1h7": 0.2}
    values = features_of(chances, "h1h8 g8h8 d1h1 h8g8 h1h7", "5rk1/5pp1/6P1/8/8/8/1K6/3Q3R w - - 0 1")
    found = [math.exp(values[f"log_P({number})@1500"]) for number in (1, 2, 3)]
    assert found == pytest.approx([0.5, 0.25, 0.2], abs=0.05)
    assert values["log_P@1500"] == pytest.approx(math.log(math.prod(found)))


def test_players_of_every_rating_are_asked() -> None:
    board, moves = parsed(TWO_MATES, "b1b8")
    problem, model = Problem(board, tuple(moves)), FixedPredictions({})
    values = human_features(problem, model, (1100, 1900))
    assert set(model.asked) == {1100, 1900}
    assert {name.partition("@")[2] for name in values} == {"1100", "1900"}
