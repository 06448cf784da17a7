"""Terms of reasons, on lines that can be checked by eye."""

from __future__ import annotations

from motifsearch.terms.motif import decisive_terms, goal_terms
from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.reason import Reasons
from tests.helpers.solutions import parsed

# The rook that guards the back rank takes the queen that is offered; the other rook mates.
DEFLECTION = ("3r2k1/5ppp/8/8/8/8/Q4PPP/4R1K1 w - - 0 1", "a2d5 d8d5 e1e8")
QUIET = ("8/8/4n3/4k3/8/6N1/8/4K3 w - - 0 1", "e1e2")


def reasons(case: tuple[str, str]) -> Reasons:
    return Reasons.of(Replay(*parsed(*case)))


def test_the_defender_that_takes_the_offer_is_a_reason_for_mate() -> None:
    assert {"defender:accepts>mate", "defender:accepts:r>mate"} <= set(goal_terms(reasons(DEFLECTION)))


def test_the_goal_that_decides_has_its_reasons_alone() -> None:
    terms = decisive_terms(reasons(DEFLECTION))
    assert [term for term in terms if not term.endswith(">mate")] == []


def test_a_goal_that_nobody_defended() -> None:
    undefended = ("7k/R7/1R6/8/8/8/8/6K1 w - - 0 1", "b6b8")
    assert "undefended>mate" in decisive_terms(reasons(undefended))


def test_without_a_goal_there_is_nothing_decisive() -> None:
    assert decisive_terms(reasons(QUIET)) == []


def test_each_term_counts_once() -> None:
    perpetual = ("7k/8/8/8/8/8/1q6/6QK w - - 0 1", "g1g3 b2a1 g3g1 a1b2 g1g3")
    terms = goal_terms(reasons(perpetual))
    assert len(terms) == len(set(terms))
