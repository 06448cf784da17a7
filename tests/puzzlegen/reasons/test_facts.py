"""Facts: that they are found, and only where they are true."""

from __future__ import annotations

import chess
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chess_motif.boards import board_after
from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.explained import facts_of
from puzzlegen.reasons.fact import Course, Fact, Kind
from puzzlegen.reasons.table import ROWS
from puzzlegen.reasons.tactics import Tactics
from puzzlegen.reasons.told import reasons_told
from puzzlegen.reasons.words import sentence
from tests.helpers.reason_cases import FACTS, HANGING, HAVE, LACK, NO_FACTS, FactCase
from tests.helpers.solutions import (
    Solution,
    colours_swapped,
    left_and_right_swapped,
    parsed,
    random_lines,
)

REAL = st.sampled_from(
    [parsed(case.fen, case.moves) for case in (*FACTS, *NO_FACTS)]
    + [parsed(case.fen, case.moves) for case in (*HAVE, *LACK)]
)


SEARCHED = {row.kind for row in ROWS if row.find is not reasons_told}


def facts(solution: Solution, kinds: set[Kind] = SEARCHED) -> list[Fact]:
    return facts_of(Tactics(*solution), kinds)


def said(solution: Solution, kinds: set[Kind] = SEARCHED) -> dict[Kind, str]:
    replay = Replay(*solution)
    return {fact.kind: sentence([fact], replay) for fact in facts(solution, kinds)}


def with_ranks_mirrored(text: str) -> str:
    return "".join(
        str(9 - int(letter)) if letter.isdigit() and before in "abcdefgh" else letter
        for before, letter in zip(f" {text}", text, strict=False)
    )


@pytest.mark.parametrize("case", FACTS, ids=str)
def test_a_fact_is_found(case: FactCase) -> None:
    assert said(parsed(case.fen, case.moves)).get(Kind(case.kind)) == case.text


@pytest.mark.parametrize("case", NO_FACTS, ids=str)
def test_what_is_nearly_true_is_not_found(case: FactCase) -> None:
    assert case.kind not in said(parsed(case.fen, case.moves))


@pytest.mark.parametrize("cases", [FACTS, NO_FACTS], ids=["for", "against"])
def test_there_is_a_case_for_every_kind(cases: list[FactCase]) -> None:
    assert {case.kind for case in cases} == SEARCHED


@given(REAL | random_lines())
def test_facts_do_not_depend_on_the_colours(solution: Solution) -> None:
    swapped = said(colours_swapped(solution))
    assert {kind: with_ranks_mirrored(text) for kind, text in swapped.items()} == said(solution)


@given(REAL | random_lines())
def test_facts_do_not_depend_on_left_and_right(solution: Solution) -> None:
    mirrored = left_and_right_swapped(solution)
    assume(mirrored)
    assert mirrored is not None
    without_castling = solution[0].copy(stack=False)
    without_castling.castling_rights = chess.BB_EMPTY
    found = {(one.kind, one.ply) for one in facts((without_castling, solution[1]))}
    assert {(one.kind, one.ply) for one in facts(mirrored)} == found


@given(REAL | random_lines())
def test_only_pieces_that_have_not_moved_are_drawn(solution: Solution) -> None:
    board, moves = solution
    for fact in facts(solution, set(Kind)):
        if fact.drawing is None:
            continue
        then = board_after(board, moves[: fact.ply + 1])
        tails = {tail for tail, _ in fact.drawing.arrows}
        moved = {at for at in tails | set(fact.drawing.squares) if board.piece_at(at) != then.piece_at(at)}
        # What the solution captures is drawn where it was.
        assert {at for at in moved if then.piece_at(at) and board.piece_at(at) is None} == set()


def test_what_takes_too_long_to_check_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("puzzlegen.reasons.fact._MOST_POSITIONS", 1)
    assert facts(parsed(*HANGING)) == []


def test_a_finder_finds_only_kinds_that_it_is_listed_for() -> None:
    for case in (*FACTS, *NO_FACTS):
        course = Course(Tactics(*parsed(case.fen, case.moves)))
        for find in {row.find for row in ROWS}:
            course.renew_budget()
            assert {fact.kind for fact in find(course)} <= {row.kind for row in ROWS if row.find is find}


def test_every_kind_has_one_row() -> None:
    assert sorted(row.kind for row in ROWS) == sorted(Kind)


@pytest.mark.parametrize("case", FACTS, ids=str)
def test_a_fact_that_is_wanted_is_found_alone(case: FactCase) -> None:
    kind = Kind(case.kind)
    assert said(parsed(case.fen, case.moves), {kind}) == {kind: case.text}
