"""Terms of the course of a solution, on lines that can be checked by eye."""

from __future__ import annotations

import pytest

from motifsearch.terms.course import course_terms, step_terms
from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.reason import Reasons
from tests.helpers.solutions import parsed

# The queen is offered and taken, then the other rook mates.
DEFLECTION = ("3r2k1/5ppp/8/8/8/8/Q4PPP/4R1K1 w - - 0 1", "a2d5 d8d5 e1e8")
EXCHANGE = ("3r2k1/5ppp/8/8/8/8/5PPP/3R1RK1 w - - 0 1", "d1d8")
PROMOTION = ("8/P4k2/8/8/8/8/8/6K1 w - - 0 1", "a7a8q")
PINNED = ("4k3/8/4n3/8/8/8/3P4/4R1K1 w - - 0 1", "d2d4")
THREATENS_MATE = ("6k1/5ppp/8/8/8/8/R4PPP/6K1 w - - 0 1", "h2h3")


def steps(case: tuple[str, str]) -> list[str]:
    return step_terms(Replay(*parsed(*case)))


def test_an_offer_that_is_accepted_before_mate() -> None:
    assert {"accepts:gives>#", "accepts:r:gives>#", "1:accepts:gives", "1:>#", "#>"} <= set(steps(DEFLECTION))


def test_a_single_move() -> None:
    assert steps(PROMOTION) == ["=>", "1:=>", "1:=", "1:p"]


@pytest.mark.parametrize(
    ("case", "term", "has"),
    [
        (DEFLECTION, "ends:mate", True),
        (DEFLECTION, "ends:ahead", False),
        (DEFLECTION, "lowest:-9", True),
        (DEFLECTION, "sacrifices:1", True),
        (EXCHANGE, "sacrifices:1", False),
        (DEFLECTION, "decides:mate", True),
        (DEFLECTION, "decides@2", True),
        (PROMOTION, "decides:promote", True),
        (PROMOTION, "pawn-to:8", True),
        (PROMOTION, "pawn-takes", False),
        (PROMOTION, "farthest-pawn:7", True),
        (PINNED, "enemy-pinned:1", True),
        (DEFLECTION, "takes-pinned", False),
        (THREATENS_MATE, "threatens:mate", True),
        (DEFLECTION, "threatens:mate", False),
    ],
)
def test_the_course(case: tuple[str, str], term: str, has: bool) -> None:
    replay = Replay(*parsed(*case))
    assert (term in course_terms(replay, Reasons(replay))) is has
