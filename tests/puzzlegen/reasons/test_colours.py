"""With colours swapped, a solution has the same reasons on mirrored squares, in the same words."""

from __future__ import annotations

import re

import chess
from hypothesis import given
from hypothesis import strategies as st

from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.fact import Course
from puzzlegen.reasons.reason import Reasons
from puzzlegen.reasons.tactics import Tactics
from puzzlegen.reasons.told import fact_of
from puzzlegen.reasons.words import sentence
from tests.helpers.reason_cases import HAVE, LACK
from tests.helpers.solutions import Solution, colours_swapped, parsed, random_lines

REAL = st.sampled_from([parsed(case.fen, case.moves) for case in (*HAVE, *LACK)])


def mirrored(text: str) -> str:
    return re.sub(r"\b([a-h])([1-8])\b", lambda square: f"{square[1]}{9 - int(square[2])}", text)


def found(solution: Solution, mirror: bool = False) -> set[tuple[object, ...]]:
    def at(square: chess.Square) -> chess.Square:
        return chess.square_mirror(square) if mirror else square

    return {
        (
            reason.goal.aim,
            reason.goal.number,
            reason.part,
            reason.cause,
            reason.kind,
            at(reason.square),
            reason.ply,
        )
        for reason in Reasons(Replay(*solution)).found
    }


def words(solution: Solution) -> set[str]:
    course = Course(Tactics(*solution))
    facts = (fact_of(reason, course) for reason in course.reasons.found)
    return {sentence([one], course.replay) for one in facts if one}


@given(REAL | random_lines())
def test_reasons_do_not_depend_on_the_colours(solution: Solution) -> None:
    assert found(colours_swapped(solution), mirror=True) == found(solution)


@given(REAL | random_lines())
def test_words_do_not_depend_on_the_colours(solution: Solution) -> None:
    assert {mirrored(text) for text in words(colours_swapped(solution))} == words(solution)
