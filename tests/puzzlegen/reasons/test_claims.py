"""Claims: that they are found, and only where they are true."""

from __future__ import annotations

import chess
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chess_motif.boards import board_after
from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.claim import Claim, Course, Kind
from puzzlegen.reasons.explained import RULES, claims_of
from puzzlegen.reasons.reason import Reasons
from tests.helpers.reason_cases import CLAIMED, HANGING, HAVE, LACK, UNCLAIMED, ClaimCase
from tests.helpers.solutions import (
    Solution,
    colours_swapped,
    left_and_right_swapped,
    parsed,
    random_lines,
)

REAL = st.sampled_from(
    [parsed(case.fen, case.moves) for case in (*CLAIMED, *UNCLAIMED)]
    + [parsed(case.fen, case.moves) for case in (*HAVE, *LACK)]
)


def claims(solution: Solution) -> list[Claim]:
    replay = Replay(*solution)
    return claims_of(replay, Reasons(replay))


def with_ranks_mirrored(text: str) -> str:
    return "".join(
        str(9 - int(letter)) if letter.isdigit() and before in "abcdefgh" else letter
        for before, letter in zip(f" {text}", text, strict=False)
    )


@pytest.mark.parametrize("case", CLAIMED, ids=str)
def test_a_claim_is_made(case: ClaimCase) -> None:
    found = {claim.kind: claim.text for claim in claims(parsed(case.fen, case.moves))}
    assert found.get(Kind(case.kind)) == case.text


@pytest.mark.parametrize("case", UNCLAIMED, ids=str)
def test_what_is_nearly_true_is_not_claimed(case: ClaimCase) -> None:
    assert case.kind not in {claim.kind for claim in claims(parsed(case.fen, case.moves))}


@pytest.mark.parametrize("cases", [CLAIMED, UNCLAIMED], ids=["for", "against"])
def test_there_is_a_case_for_every_kind(cases: list[ClaimCase]) -> None:
    assert {case.kind for case in cases} == set(Kind)


@given(REAL | random_lines())
def test_claims_do_not_depend_on_the_colours(solution: Solution) -> None:
    swapped = [
        (one.kind, one.ply, with_ranks_mirrored(one.text)) for one in claims(colours_swapped(solution))
    ]
    assert sorted(swapped) == sorted((one.kind, one.ply, one.text) for one in claims(solution))


@given(REAL | random_lines())
def test_claims_do_not_depend_on_left_and_right(solution: Solution) -> None:
    mirrored = left_and_right_swapped(solution)
    assume(mirrored)
    assert mirrored is not None
    without_castling = solution[0].copy(stack=False)
    without_castling.castling_rights = chess.BB_EMPTY
    found = {(one.kind, one.ply) for one in claims((without_castling, solution[1]))}
    assert {(one.kind, one.ply) for one in claims(mirrored)} == found


@given(REAL | random_lines())
def test_only_pieces_that_have_not_moved_are_drawn(solution: Solution) -> None:
    board, moves = solution
    for claim in claims(solution):
        if claim.drawing is None:
            continue
        then = board_after(board, moves[: claim.ply + 1])
        tails = {tail for tail, _ in claim.drawing.arrows}
        moved = {at for at in tails | set(claim.drawing.squares) if board.piece_at(at) != then.piece_at(at)}
        # What the solution captures is drawn where it was.
        assert {at for at in moved if then.piece_at(at) and board.piece_at(at) is None} == set()


def test_what_takes_too_long_to_check_is_not_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("puzzlegen.reasons.claim._MOST_POSITIONS", 1)
    assert claims(parsed(*HANGING)) == []


def test_a_rule_finds_only_what_it_is_listed_for() -> None:
    for case in (*CLAIMED, *UNCLAIMED):
        replay = Replay(*parsed(case.fen, case.moves))
        course = Course(replay, Reasons(replay))
        for rule, kinds in RULES.items():
            assert {claim.kind for claim in rule(course)} <= kinds


@pytest.mark.parametrize("case", CLAIMED, ids=str)
def test_a_claim_that_is_wanted_is_found_alone(case: ClaimCase) -> None:
    replay = Replay(*parsed(case.fen, case.moves))
    found = claims_of(replay, Reasons(replay), {Kind(case.kind)})
    assert [claim.text for claim in found] == [case.text]
