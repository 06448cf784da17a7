"""Reasons in words: what is said of real positions, and what is not worth a word."""

from __future__ import annotations

import pytest

from puzzlegen.reasons.fact import Course
from puzzlegen.reasons.reason import Part
from puzzlegen.reasons.tactics import Tactics
from puzzlegen.reasons.told import fact_of
from puzzlegen.reasons.words import sentence
from tests.helpers import reason_cases as cases
from tests.helpers.solutions import parsed

# The solution, the part and the cause of a reason, and what is said of it alone.
SAID = [
    (
        cases.KNIGHT_LURED,
        "defender:accepts",
        "The knight on c2 takes the knight on e3 and no longer guards a1.",
    ),
    (
        cases.KING_TAKES,
        "defender:takes",
        "The king takes the pawn on h4 and no longer defends the rook on f6.",
    ),
    (
        cases.KING_FLEES,
        "defender:flees",
        "The king moves out of check to a5 and no longer defends the bishop on b7.",
    ),
    (
        cases.PINNED_PAWN,
        "defender:pinned",
        "The pawn on h6 is pinned by the rook on h5 and cannot take on g5.",
    ),
    (
        cases.DRIVEN_OFF,
        "defender:leaves",
        "The attacked rook on b3 goes to a3 and no longer defends the bishop on b2.",
    ),
    (
        cases.DEFENDER_TAKEN,
        "defender:captured",
        "The bishop on d4 takes the knight on f6, which defends the bishop on d5.",
    ),
    (
        cases.DEFENDER_EXCHANGED,
        "defender:exchanged",
        "The rook on f3 is given up for the bishop on f6, which defends the rook on h4.",
    ),
    (
        cases.QUEENS_EXCHANGED,
        "defender:exchanged",
        "The queen on e5 is exchanged for the queen on c3, which defends the bishop on d3.",
    ),
    (
        cases.INTERFERENCE,
        "defender:blocked",
        "The knight on g6 goes to e7 with check and comes between the rook on e8 and the queen on e4.",
    ),
    (
        cases.PINNED_DEFENDER,
        "defender:pinned",
        "The rook on g3 is pinned by the queen on e5 and no longer guards h3.",
    ),
    (cases.SHUT_OFF, "shut:flees", "The king moves out of check to f1 and cuts the rook on g1 off from e1."),
    (
        cases.SHUT_BY_PAWN,
        "shut:moves",
        "The pawn on f7 advances to f5 and cuts the queen on g5 off from the knight on e5.",
    ),
    (cases.KING_LURED, "target:accepts", "The king takes the queen on g8 and is mated there."),
    (cases.TARGET_PINNED, "target:pinned", "The rook on f5 is pinned by the rook on b5."),
    (cases.QUIET_ATTACK, "attacker:comes", "The queen on d5 goes to c4 and attacks the bishop on g4."),
    (
        cases.DISCOVERED,
        "opened:comes+",
        "The pawn on d5 advances to d6 with check and uncovers the rook's line to the enemy rook on e5.",
    ),
    (
        cases.SKEWER,
        "opened:flees",
        "The king moves out of check to d6 and opens the rook's line to the enemy rook on c8.",
    ),
    (
        cases.WAY_MADE,
        "opened:comes+",
        "The rook on d1 goes to g1 with check and makes way for the pawn on d2.",
    ),
    (
        cases.BATTERY,
        "opened:comes+",
        "The rook on d3 goes to d1 with check and is backed up by the rook on d8.",
    ),
    (cases.FORK, "threat:double", "The knight on b3 goes to c5 with check and also attacks the queen on a6."),
    (
        cases.QUIET_FORK,
        "threat:double",
        "The knight on d7 goes to b8 and attacks the rook on c6 and the bishop on a6 at once.",
    ),
    (
        cases.DISCOVERED_CHECK,
        "threat:two",
        "The pawn on e3 advances to e4 with a discovered check by the bishop on f4 and also threatens the "
        "bishop on d5.",
    ),
]

UNSAID = [
    pytest.param(cases.MATE_IN_ONE, "target:stands", id="it stood there"),
    pytest.param(cases.MATE_IN_ONE, "attacker:stands", id="it attacked before"),
    pytest.param(cases.KING_MOVES, "threat:none", id="nothing was threatened"),
    pytest.param(cases.SKEWER, "threat:check", id="a check alone"),
    pytest.param(cases.ESCAPE_CLOSED, "escape:interposes", id="a piece beside its king, which the net names"),
    pytest.param(cases.INTERPOSED, "attacker:comes+", id="a piece that comes to mate"),
    pytest.param(cases.QUEEN_EXCHANGE, "target:recaptures", id="a piece that is taken where it went"),
    pytest.param(cases.INTERPOSED, "defender:interposes", id="a defender that is taken where it went"),
    pytest.param(cases.KING_DRIVEN, "opened:flees", id="a king that leaves the line of its mate"),
    pytest.param(cases.PAWN_BLOCKS_NOTHING, "defender:pinned", id="a pawn does not guard squares between"),
]


def said(solution: tuple[str, str], kind: str) -> list[str]:
    course = Course(Tactics(*parsed(*solution)))
    reasons = [reason for reason in course.reasons.found if f"{reason.part}:{reason.cause}" == kind]
    assert reasons
    return [sentence([fact], course.replay) for reason in reasons if (fact := fact_of(reason, course))]


@pytest.mark.parametrize(("solution", "kind", "text"), SAID, ids=[text for _, _, text in SAID])
def test_a_reason_in_words(solution: tuple[str, str], kind: str, text: str) -> None:
    assert text in said(solution, kind)


@pytest.mark.parametrize(("solution", "kind"), UNSAID)
def test_not_worth_a_word(solution: tuple[str, str], kind: str) -> None:
    assert said(solution, kind) == []


def test_every_part_but_one_has_words() -> None:
    assert {kind.split(":")[0] for _, kind, _ in SAID} == set(Part) - {Part.ESCAPE}


def test_castling_is_named() -> None:
    assert said(cases.CASTLED, "attacker:comes") == ["The king on e8 castles and attacks the knight on d5."]


def test_en_passant_is_named() -> None:
    expected = ["The pawn on d5 takes en passant on c6 and attacks the rook on d7."]
    assert said(cases.EN_PASSANT, "attacker:comes-x") == expected
