"""Tests of the rating model that the package ships."""

from __future__ import annotations

import sys

import chess
import pytest

from chess_motif.errors import HumanModelError, LibraryMissingError
from engines.human.model import HumanModel, load_human_model
from puzzlegen.difficulty.rating import Estimate, Problem, RatingModel, load_rating_model
from tests.helpers.solutions import Solution, colours_swapped, parsed

BACK_RANK = parsed("6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1", "e1e8")
DAMIANO = parsed("5rk1/5pp1/6P1/8/8/8/1K6/3Q3R w - - 0 1", "h1h8 g8h8 d1h1 h8g8 h1h7")


@pytest.fixture(scope="module")
def model() -> RatingModel:
    return load_rating_model(load_human_model())


def estimate(model: RatingModel, solution: Solution) -> Estimate:
    board, moves = solution
    (result,) = model.estimate([Problem(board, tuple(moves))])
    return result


def test_a_mate_in_one_is_easier_than_a_combination(model: RatingModel) -> None:
    easy, hard = estimate(model, BACK_RANK), estimate(model, DAMIANO)
    assert easy.difficulty < 900
    assert hard.difficulty > easy.difficulty + 300


def test_colours_do_not_matter(model: RatingModel) -> None:
    assert estimate(model, DAMIANO) == pytest.approx(estimate(model, colours_swapped(DAMIANO)))


def test_problems_do_not_change_one_another(model: RatingModel) -> None:
    problems = [Problem(board, tuple(moves)) for board, moves in (BACK_RANK, DAMIANO)]
    together = model.estimate(problems)
    assert together == [*model.estimate(problems[:1]), *model.estimate(problems[1:])]


def test_no_problems(model: RatingModel) -> None:
    assert model.estimate([]) == []


def test_the_margin_is_a_likely_error(model: RatingModel) -> None:
    assert 50 < estimate(model, BACK_RANK).difficulty_margin < 800


def test_a_model_of_other_people(model: RatingModel) -> None:
    other = HumanModel(model.human.network, "other")
    with pytest.raises(HumanModelError, match="no rating model"):
        load_rating_model(other)


def test_without_openmp(model: RatingModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(LibraryMissingError, match="libgomp1"):
        load_rating_model(model.human)


def test_the_move_before_matters(model: RatingModel) -> None:
    """A recapture is easier to find than the same move out of the blue."""
    before = chess.Board("r1bqk2r/pppp1ppp/2n2n2/4p3/1bB1P3/2N2N2/PPPP1PPP/R1BQK2R b KQkq - 0 1")
    before.push_uci("b4c3")
    capture = (chess.Move.from_uci("d2c3"),)
    bare = Problem(before.copy(stack=False), capture)
    known, unknown = model.estimate([Problem(before, capture), bare])
    assert known.first_move_chance > unknown.first_move_chance
