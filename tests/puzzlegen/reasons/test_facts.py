"""Facts: that they are found, and only where they are true; what is said of each alone, and what is drawn."""

from __future__ import annotations

import re

import chess
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chess_motif.boards import board_after
from puzzlegen.motifs.replay import Replay
from puzzlegen.reasons.explained import facts_of
from puzzlegen.reasons.fact import Drawing, Fact, FactKind
from puzzlegen.reasons.reason import Part
from puzzlegen.reasons.tactics import Tactics
from puzzlegen.reasons.words import sentence
from tests.helpers.solutions import Solution, colours_swapped, left_and_right_swapped, parsed, random_lines
from tests.helpers.tactics import SOLUTIONS, Expected, expected, names

REAL = st.sampled_from(SOLUTIONS)

# What is told of reasons; everything else is found by searching the board.
OF_REASONS = {
    FactKind.DEFENDER,
    FactKind.SHUT,
    FactKind.OPENED,
    FactKind.DOUBLE,
    FactKind.TARGET,
    FactKind.ATTACKER,
}
SEARCHED = set(FactKind) - OF_REASONS


def facts(solution: Solution, kinds: set[FactKind] = SEARCHED) -> list[Fact]:
    return facts_of(Tactics(*solution), kinds)


def said(solution: Solution, kinds: set[FactKind]) -> list[str]:
    replay = Replay(*solution)
    return [sentence([fact], replay) for fact in facts(solution, kinds)]


@pytest.mark.parametrize("one", expected("fact"), ids=str)
def test_a_fact(one: Expected) -> None:
    assert said(one.solution, {FactKind(one.name)})[:1] == ([one.text] if one.holds else [])


@pytest.mark.parametrize("one", {one.name: one for one in expected("fact") if one.holds}.values(), ids=str)
def test_facts_that_are_wanted_together_are_those_that_are_wanted_alone(one: Expected) -> None:
    """A finder finds only kinds that it is listed for."""
    alone = [fact for kind in FactKind if kind in SEARCHED for fact in facts(one.solution, {kind})]
    together = facts(one.solution)
    assert {(fact.kind, fact.text) for fact in together} == {(fact.kind, fact.text) for fact in alone}


@pytest.mark.parametrize("holds", [True, False])
def test_there_is_a_case_for_every_kind(holds: bool) -> None:
    assert names("fact", holds=holds) == SEARCHED


def of_reasons(one: Expected) -> list[Fact]:
    """What is told of the reasons of this part and cause."""
    reasons = [f"{reason.part}:{reason.cause}" for reason in Tactics(*one.solution).reasons.found]
    assert one.name in reasons
    told = facts(one.solution, OF_REASONS)
    return [fact for fact in told if fact.reason and f"{fact.reason.part}:{fact.reason.cause}" == one.name]


@pytest.mark.parametrize("one", expected("words"), ids=str)
def test_a_reason_in_words(one: Expected) -> None:
    texts = [sentence([fact], Replay(*one.solution)) for fact in of_reasons(one)]
    assert one.text in texts if one.holds else texts == []


def test_every_part_but_one_has_words() -> None:
    # A piece in its king's way is named where the king has no way out.
    assert {name.split(":")[0] for name in names("words", holds=True)} == set(Part) - {Part.ESCAPE}


def written(drawing: Drawing) -> str:
    arrows = (chess.square_name(tail) + chess.square_name(head) for tail, head in drawing.arrows)
    return " ".join([drawing.role, *arrows, *map(chess.square_name, drawing.squares)])


@pytest.mark.parametrize("one", expected("drawing"), ids=str)
def test_what_is_drawn(one: Expected) -> None:
    drawings = [written(fact.drawing) for fact in of_reasons(one) if fact.drawing]
    assert one.text in drawings if one.holds else drawings == []


def mirrored(text: str) -> str:
    return re.sub(r"([a-h])([1-8])", lambda square: f"{square[1]}{9 - int(square[2])}", text)


@given(REAL | random_lines())
def test_facts_do_not_depend_on_the_colours(solution: Solution) -> None:
    swapped = {mirrored(text) for text in said(colours_swapped(solution), set(FactKind))}
    assert swapped == set(said(solution, set(FactKind)))


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
    for fact in facts(solution, set(FactKind)):
        if fact.drawing is None:
            continue
        then = board_after(board, moves[: fact.ply + 1])
        tails = {tail for tail, _ in fact.drawing.arrows}
        moved = {at for at in tails | set(fact.drawing.squares) if board.piece_at(at) != then.piece_at(at)}
        # What the solution captures is drawn where it was.
        assert {at for at in moved if then.piece_at(at) and board.piece_at(at) is None} == set()


def test_what_takes_too_long_to_check_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("puzzlegen.reasons.fact._MOST_POSITIONS", 1)
    assert facts(parsed("8/8/5p2/2K3p1/1p4P1/6kR/2P5/8 b - - 0 59", "g3h3 c5b4 h3g4")) == []
