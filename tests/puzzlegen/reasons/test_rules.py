"""Every rule: a solution that has the reason, and one that nearly does."""

from __future__ import annotations

import chess
import pytest

from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.reason import Cause, Part, Reason, Reasons
from tests.helpers.reason_cases import HAVE, LACK, ReasonCase
from tests.helpers.solutions import parsed


def written(reason: Reason) -> str:
    piece = f"{chess.piece_symbol(reason.kind)}{chess.square_name(reason.square)}"
    return f"{reason.part}:{reason.cause}:{piece}>{reason.goal.aim}"


def found(case: ReasonCase) -> list[str]:
    return [written(reason) for reason in Reasons.of(Replay(*parsed(case.fen, case.moves))).found]


@pytest.mark.parametrize("case", HAVE, ids=str)
def test_a_reason_is_found(case: ReasonCase) -> None:
    assert case.reason in found(case)


@pytest.mark.parametrize("case", LACK, ids=str)
def test_what_is_nearly_a_reason_is_none(case: ReasonCase) -> None:
    assert case.reason not in found(case)


@pytest.mark.parametrize("cases", [HAVE, LACK], ids=["for", "against"])
def test_there_is_a_case_for_every_part(cases: list[ReasonCase]) -> None:
    assert {case.reason.split(":")[0] for case in cases} == set(Part)


def test_there_is_a_case_for_every_cause() -> None:
    assert {case.reason.split(":")[1] for case in HAVE} == set(Cause)
