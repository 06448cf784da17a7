"""Why goals are reached, and which lines show a tactic."""

from __future__ import annotations

import chess
import pytest

from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.reason import Cause, Part, Reason, Reasons
from puzzlegen.reasons.tactics import Tactics
from tests.helpers.reason_cases import HAVE, LACK, ReasonCase
from tests.helpers.solutions import parsed


def written(reason: Reason) -> str:
    piece = f"{chess.piece_symbol(reason.kind)}{chess.square_name(reason.square)}"
    return f"{reason.part}:{reason.cause}:{piece}>{reason.goal.aim}"


def found(case: ReasonCase) -> list[str]:
    return [written(reason) for reason in Reasons(Replay(*parsed(case.fen, case.moves))).found]


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


START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        pytest.param("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "a1a8", id="mate"),
        pytest.param("7k/8/8/6Q1/8/8/6q1/K7 w - - 0 1", "g5g2", id="material is won"),
        pytest.param("8/P4k2/8/8/8/8/8/6K1 w - - 0 1", "a7a8q", id="a promotion"),
        pytest.param("6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1", "b1c1", id="mate is threatened"),
        pytest.param("5k2/5P2/8/5K2/8/8/8/8 w - - 0 1", "f5f6", id="stalemate"),
        pytest.param("r3k3/8/8/3N4/8/8/7P/4K3 w - - 0 1", "d5c7 e8d7 h2h3", id="a fork that wins nothing"),
    ],
)
def test_a_tactic(fen: str, moves: str) -> None:
    assert Tactics(*parsed(fen, moves)).shows_tactic


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        pytest.param(START, "e2e4 e7e5 g1f3", id="an opening"),
        pytest.param("4k3/3r4/8/8/8/8/3R4/4K3 w - - 0 1", "d2d7 e8d7 e1d2", id="an exchange"),
        pytest.param("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4 e8e7 e1e2", id="an endgame"),
    ],
)
def test_no_tactic(fen: str, moves: str) -> None:
    assert not Tactics(*parsed(fen, moves)).shows_tactic
