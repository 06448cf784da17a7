"""The goals of a solution, and which of them decides."""

from __future__ import annotations

import pytest

from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.reason import Reasons
from tests.helpers import reason_cases as cases
from tests.helpers.solutions import parsed


@pytest.mark.parametrize(
    ("solution", "goals"),
    [
        pytest.param(cases.MATE_IN_ONE, ["mate"], id="mate"),
        pytest.param(cases.KNIGHT_LURED, ["promote"], id="a promotion"),
        pytest.param(cases.FORK, ["check", "capture"], id="a check, then a capture"),
        pytest.param(cases.EN_PASSANT, ["capture", "capture"], id="a capture en passant"),
        pytest.param(cases.MATE_THREATENED, ["threatened mate"], id="mate threatened at the end"),
        pytest.param(cases.QUEEN_PINNED, ["capture"], id="nothing to threaten at the end"),
    ],
)
def test_goals(solution: tuple[str, str], goals: list[str]) -> None:
    found = Reasons.of(Replay(*parsed(*solution))).goals
    assert [f"{'threatened ' if goal.threatened else ''}{goal.aim}" for goal in found] == goals


@pytest.mark.parametrize(
    ("solution", "ply"),
    [
        pytest.param(cases.SMOTHERED, 4, id="mate"),
        pytest.param(cases.WAY_MADE, 2, id="a promotion before a capture"),
        pytest.param(cases.FORK, 2, id="what wins most"),
        pytest.param(cases.DEFENDER_EXCHANGED, 2, id="not what is recaptured"),
    ],
)
def test_the_goal_that_decides(solution: tuple[str, str], ply: int) -> None:
    decisive = Reasons.of(Replay(*parsed(*solution))).decisive
    assert decisive is not None
    assert decisive.number == ply


def test_a_solution_without_a_goal_has_none_that_decides() -> None:
    assert Reasons.of(Replay(*parsed("8/8/8/8/8/1k6/7P/K7 w - - 0 1", "h2h3"))).decisive is None
