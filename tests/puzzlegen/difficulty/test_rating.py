"""The features of a puzzle, and what the rating model that the package ships makes of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import chess
import pytest
from hypothesis import given, settings

from chess_motif.errors import HumanModelError
from engines.human.model import HumanModel, Prediction, load_human_model
from puzzlegen.difficulty.rating import (
    LEAST_PROBABILITY,
    Estimate,
    Problem,
    RatingModel,
    features,
    human_features,
    load_rating_model,
)
from tests.helpers.rows import puzzle_row
from tests.helpers.solutions import Solution, colours_swapped, parsed, random_lines

DAMIANO = "5rk1/5pp1/6P1/8/8/8/1K6/3Q3R w - - 0 1"
GREEK_GIFT = "r1bq1rk1/pppn1ppp/4p3/3pP3/3P4/3B1N2/PPP2PPP/RN1QK2R w KQ - 0 1"


def features_of(solution: Solution) -> dict[str, float]:
    board, moves = solution
    problem = Problem(board, tuple(moves))
    return features(problem)


@settings(max_examples=50)
@given(random_lines())
def test_features_are_the_same_for_either_colour(solution: Solution) -> None:
    assert features_of(solution) == pytest.approx(features_of(colours_swapped(solution)), nan_ok=True)


@pytest.mark.parametrize(
    ("solution", "expected"),
    [
        (
            parsed(DAMIANO, "h1h8 g8h8 d1h1 h8g8 h1h7"),
            {"moves": 3, "deepest_sacrifice": 5, "gain": -5, "mate": 1, "checks": 3, "captures": 0}
            | {"forced_replies": 2, "quiet_moves": 0, "captures_in_reply": 1, "pieces_moved": 2},
        ),
        (
            parsed(GREEK_GIFT, "d3h7"),
            {"kind(1)": chess.BISHOP, "capture(1)": 1, "check(1)": 1, "distance(1)": 4, "attacked(1)": 1}
            | {"kind(2)": math.nan},
        ),
        # White's knight is attacked by a pawn, Black's queen by a rook; Black's rook is defended.
        (
            parsed("rk6/8/2p1q3/3N4/8/8/8/R3R1K1 w - - 0 1", "e1e6"),
            {"own_threatened": 3, "enemy_threatened": 9, "largest_capture": 9},
        ),
    ],
    ids=["a sacrifice and a mate", "each of the first moves", "pieces that are threatened"],
)
def test_what_can_be_seen_of_a_puzzle(solution: Solution, expected: dict[str, float]) -> None:
    values = features_of(solution)
    assert {name: values[name] for name in expected} == pytest.approx(expected, nan_ok=True)


def test_the_move_before() -> None:
    board = chess.Board("6k1/5ppp/8/8/3n4/8/3R1PPP/6K1 b - - 0 1")
    board.push_uci("d4f3")
    problem = Problem(board, (chess.Move.from_uci("g2f3"),))
    values = features(problem)
    assert (values["before_capture"], values["before_kind"], values["before_recaptured"]) == (0, 2, 1)
    # It attacks the rook, and two pawns that are worth one each; the king counts for nothing.
    assert values["before_attacks"] == 5 + 1


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


def human_features_of(chances: dict[str, float], line: str, fen: str = TWO_MATES) -> dict[str, float]:
    board, moves = parsed(fen, line)
    problem = Problem(board, tuple(moves))
    return human_features(problem, FixedPredictions(chances), (1500,))


@pytest.mark.parametrize(
    ("chances", "line", "expected"),
    [
        # All mates count as one.
        ({"b1b8": 0.5, "a1a8": 0.25, "a1g7": 0.25}, "b1b8", {"log_P(1)": math.log(0.75)}),
        ({"a1g7": 0.6, "b1b8": 0.4}, "b1b8", {"rank(1)": 2, "largest_wrong_P(1)": 0.6}),
        # Nobody plays it.
        ({"a1g7": 1.0}, "b1b8", {"least_log_P": math.log(LEAST_PROBABILITY)}),
        # Values are those of the solver.
        ({}, "a1g7", {"value(1)": 0.5, "value_after(1)": 0.5}),
    ],
)
def test_what_people_make_of_a_puzzle(
    chances: dict[str, float], line: str, expected: dict[str, float]
) -> None:
    values = human_features_of(chances, line)
    assert {name: values[f"{name}@1500"] for name in expected} == pytest.approx(expected)


def test_every_solver_move_is_asked_about() -> None:
    chances = {"h1h8": 0.5, "d1h1": 0.25, "h1h7": 0.2}
    values = human_features_of(chances, "h1h8 g8h8 d1h1 h8g8 h1h7", DAMIANO)
    found = [math.exp(values[f"log_P({number})@1500"]) for number in (1, 2, 3)]
    assert found == pytest.approx([0.5, 0.25, 0.2], abs=0.05)
    assert values["log_P@1500"] == pytest.approx(math.log(math.prod(found)))


def test_players_of_every_rating_are_asked() -> None:
    board, moves = parsed(TWO_MATES, "b1b8")
    problem, model = Problem(board, tuple(moves)), FixedPredictions({})
    values = human_features(problem, model, (1100, 1900))
    assert set(model.asked) == {1100, 1900}
    assert {name.partition("@")[2] for name in values} == {"1100", "1900"}


BACK_RANK = parsed("6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1", "e1e8")
COMBINATION = parsed(DAMIANO, "h1h8 g8h8 d1h1 h8g8 h1h7")


@pytest.fixture(scope="module")
def model() -> RatingModel:
    return load_rating_model(load_human_model())


def estimate(model: RatingModel, solution: Solution) -> Estimate:
    board, moves = solution
    (result,) = model.estimate([Problem(board, tuple(moves))])
    return result


def test_a_mate_in_one_is_easier_than_a_combination(model: RatingModel) -> None:
    easy, hard = estimate(model, BACK_RANK), estimate(model, COMBINATION)
    assert easy.difficulty < 900
    assert hard.difficulty > easy.difficulty + 300


def test_estimates_are_the_same_for_either_colour(model: RatingModel) -> None:
    assert estimate(model, COMBINATION) == pytest.approx(estimate(model, colours_swapped(COMBINATION)))


def test_problems_do_not_change_one_another(model: RatingModel) -> None:
    problems = [Problem(board, tuple(moves)) for board, moves in (BACK_RANK, COMBINATION)]
    together = model.estimate(problems)
    assert together == [*model.estimate(problems[:1]), *model.estimate(problems[1:])]


FREE = "rnR5/ppp2ppk/7p/1B1P4/1q6/5N2/PPP2PPP/1K1R4 b - - 0 1"


def exercise(solution: str, accepted: str = "b4b5", outcome: str = "material") -> Problem:
    row = puzzle_row(
        "x", kind="exercise", puzzle_fen=FREE, solution=solution, accepted=accepted, outcome=outcome
    )
    return Problem.of(row)


def test_of_an_exercise_only_the_first_move_is_to_be_found(model: RatingModel) -> None:
    """What two in three people would play is easy, whatever the line shows after it."""
    short, long = model.estimate([exercise("b4b5"), exercise("b4b5 d1e1 a7a5")])
    assert short == long
    assert short.first_move_chance > 0.6
    assert short.difficulty < 1400


def test_every_accepted_move_is_right(model: RatingModel) -> None:
    one, two = model.estimate([exercise("b4b5"), exercise("b4b5", accepted="b4b5 b4f4")])
    assert two.first_move_chance > one.first_move_chance


def test_a_move_that_holds_is_as_hard_as_such_a_puzzle(model: RatingModel) -> None:
    held, won = model.estimate([exercise("b4b5", outcome=outcome) for outcome in ("held", "won")])
    assert held.difficulty > won.difficulty


def test_no_problems(model: RatingModel) -> None:
    assert model.estimate([]) == []


def test_the_margin_is_a_likely_error(model: RatingModel) -> None:
    assert 50 < estimate(model, BACK_RANK).difficulty_margin < 800


def test_a_model_of_other_people(model: RatingModel) -> None:
    other = HumanModel(model.human.network, "other")
    with pytest.raises(HumanModelError, match="no rating model"):
        load_rating_model(other)


def test_the_move_before_matters(model: RatingModel) -> None:
    """A recapture is easier to find than the same move out of the blue."""
    before = chess.Board("r1bqk2r/pppp1ppp/2n2n2/4p3/1bB1P3/2N2N2/PPPP1PPP/R1BQK2R b KQkq - 0 1")
    before.push_uci("b4c3")
    capture = (chess.Move.from_uci("d2c3"),)
    bare = Problem(before.copy(stack=False), capture)
    known, unknown = model.estimate([Problem(before, capture), bare])
    assert known.first_move_chance > unknown.first_move_chance
