"""What is drawn for reasons on the position of the puzzle."""

from __future__ import annotations

import chess
import pytest

from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.explained import Drawing, draw
from puzzlegen.reasons.goal import Pieces
from puzzlegen.reasons.reason import Reasons
from tests.helpers import reason_cases as cases
from tests.helpers.solutions import parsed

DRAWN = [
    (cases.KNIGHT_LURED, "defender:accepts", "defender c2a1"),
    (cases.PINNED_DEFENDER, "defender:pinned", "defender g3h3"),
    (cases.PINNED_PAWN, "defender:pinned", "attack h5h6"),
    (cases.SHUT_OFF, "shut:flees", "defender g1e1"),
    (cases.INTERPOSED, "defender:interposes", "lured g5h5"),
    (cases.KING_LURED, "target:accepts", "lured h7g8"),
    (cases.ESCAPE_CLOSED, "escape:interposes", "lured e3g5"),
    (cases.DISCOVERED, "opened:comes+", "attack c5e5"),
    (cases.DRIVEN_OFF, "target:pinned", "attack a2b2"),
    (cases.FORK, "threat:double", "attack d3 a6"),
]

UNDRAWN = [
    pytest.param(cases.TARGET_PINNED, "target:pinned", id="the pinned piece was elsewhere"),
    pytest.param(cases.SKEWER, "opened:flees", id="the attacker was elsewhere"),
    pytest.param(cases.FORK, "attacker:comes+", id="the way of the attacker"),
    pytest.param(cases.SKEWER, "threat:check", id="a check alone"),
]


def drawn(solution: tuple[str, str], kind: str) -> list[Drawing]:
    replay = Replay(*parsed(*solution))
    pieces = Pieces(replay)
    reasons = [reason for reason in Reasons.of(replay).found if f"{reason.part}:{reason.cause}" == kind]
    assert reasons
    return [drawing for reason in reasons if (drawing := draw(reason, replay, pieces))]


def written(drawing: Drawing) -> str:
    arrows = (chess.square_name(tail) + chess.square_name(head) for tail, head in drawing.arrows)
    return " ".join([drawing.role, *arrows, *map(chess.square_name, drawing.squares)])


@pytest.mark.parametrize(("solution", "kind", "expected"), DRAWN, ids=[kind for _, kind, _ in DRAWN])
def test_what_is_drawn(solution: tuple[str, str], kind: str, expected: str) -> None:
    assert expected in map(written, drawn(solution, kind))


@pytest.mark.parametrize(("solution", "kind"), UNDRAWN)
def test_what_cannot_be_understood_is_not_drawn(solution: tuple[str, str], kind: str) -> None:
    assert drawn(solution, kind) == []
