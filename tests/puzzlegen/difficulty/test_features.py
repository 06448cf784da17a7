"""Tests of what can be seen of a puzzle at once."""

from __future__ import annotations

import math

import chess
import pytest
from hypothesis import given, settings

from puzzlegen.difficulty.rating import Problem, features
from tests.helpers.motif_cases import DAMIANO, GREEK_GIFT
from tests.helpers.solutions import Solution, colours_swapped, parsed, random_lines


def features_of(solution: Solution) -> dict[str, float]:
    board, moves = solution
    problem = Problem(board, tuple(moves))
    return features(problem)


@settings(max_examples=50)
@given(random_lines())
def test_colours_do_not_matter(solution: Solution) -> None:
    assert features_of(solution) == pytest.approx(features_of(colours_swapped(solution)), nan_ok=True)


def test_a_sacrifice_and_a_mate() -> None:
    values = features_of(parsed(DAMIANO, "h1h8 g8h8 d1h1 h8g8 h1h7"))
    expected = {"moves": 3, "deepest_sacrifice": 5, "gain": -5, "mate": 1, "checks": 3, "captures": 0}
    expected |= {"forced_replies": 2, "quiet_moves": 0, "captures_in_reply": 1, "pieces_moved": 2}
    assert {name: values[name] for name in expected} == expected


def test_each_of_the_first_moves() -> None:
    values = features_of(parsed(GREEK_GIFT, "d3h7"))
    expected = {"kind(1)": chess.BISHOP, "capture(1)": 1, "check(1)": 1, "distance(1)": 4, "attacked(1)": 1}
    assert {name: values[name] for name in expected} == expected
    assert math.isnan(values["kind(2)"])


def test_the_move_before() -> None:
    board = chess.Board("6k1/5ppp/8/8/3n4/8/3R1PPP/6K1 b - - 0 1")
    board.push_uci("d4f3")
    problem = Problem(board, (chess.Move.from_uci("g2f3"),))
    values = features(problem)
    assert (values["before_capture"], values["before_kind"], values["before_recaptured"]) == (0, 2, 1)
    # It attacks the rook, and two pawns that are worth one each; the king counts for nothing.
    assert values["before_attacks"] == 5 + 1


def test_pieces_that_are_threatened() -> None:
    # White's knight is attacked by a pawn, Black's queen by a rook; Black's rook is defended.
    values = features_of(parsed("rk6/8/2p1q3/3N4/8/8/8/R3R1K1 w - - 0 1", "e1e6"))
    assert (values["own_threatened"], values["enemy_threatened"], values["largest_capture"]) == (3, 9, 9)
