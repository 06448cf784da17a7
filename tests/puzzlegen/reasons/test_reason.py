"""Why goals are reached, which of them decides, and which lines show a tactic."""

from __future__ import annotations

from collections.abc import Callable

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.reason import Cause, Part, Reason, Reasons
from puzzlegen.reasons.tactics import Tactics
from tests.helpers.solutions import Solution, colours_swapped, random_lines
from tests.helpers.tactics import SOLUTIONS, Expected, expected, names


def written(reason: Reason, square: Callable[[chess.Square], chess.Square] = int) -> str:
    piece = f"{chess.piece_symbol(reason.kind)}{chess.square_name(square(reason.square))}"
    return f"{reason.part}:{reason.cause}:{piece}>{reason.goal.aim}"


@pytest.mark.parametrize("one", expected("reason"), ids=str)
def test_a_reason(one: Expected) -> None:
    found = map(written, Reasons(Replay(*one.solution)).found)
    assert (one.name in found) is one.holds


@pytest.mark.parametrize("holds", [True, False])
def test_there_is_a_case_for_every_part(holds: bool) -> None:
    assert {name.split(":")[0] for name in names("reason", holds=holds)} == set(Part)


def test_there_is_a_case_for_every_cause() -> None:
    assert {name.split(":")[1] for name in names("reason", holds=True)} == set(Cause)


@pytest.mark.parametrize("one", expected("goals"), ids=str)
def test_goals(one: Expected) -> None:
    found = Reasons(Replay(*one.solution)).goals
    assert " ".join(f"{'threatened-' if goal.threatened else ''}{goal.aim}" for goal in found) == one.name


@pytest.mark.parametrize("one", expected("decides"), ids=str)
def test_the_ply_that_decides(one: Expected) -> None:
    decisive = Reasons(Replay(*one.solution)).decisive
    assert (str(decisive.number) if decisive else "none") == one.name


@pytest.mark.parametrize("one", expected("tactic"), ids=str)
def test_a_tactic(one: Expected) -> None:
    assert Tactics(*one.solution).shows_tactic is one.holds


@given(st.sampled_from(SOLUTIONS) | random_lines())
def test_reasons_do_not_depend_on_the_colours(solution: Solution) -> None:
    def found(
        line: Solution, square: Callable[[chess.Square], chess.Square] = int
    ) -> set[tuple[str, int, int]]:
        reasons = Reasons(Replay(*line)).found
        return {(written(reason, square), reason.goal.number, reason.ply) for reason in reasons}

    assert found(colours_swapped(solution), chess.square_mirror) == found(solution)
