"""Mates that have a name: the final position tells."""

from __future__ import annotations

import pytest

from puzzlegen.motifs.mates import PATTERNS, named_mates
from puzzlegen.motifs.replay import Replay
from tests.helpers.mate_cases import NOT_SHOWN, SHOWN
from tests.helpers.motif_cases import Case
from tests.helpers.solutions import parsed


def names(fen: str, moves: str) -> set[str]:
    replay = Replay(*parsed(fen, moves))
    assert replay.mates
    return {motif.name for motif in named_mates(replay)}


@pytest.mark.parametrize("case", SHOWN, ids=str)
def test_it_is_this_pattern_alone(case: Case) -> None:
    assert names(case.fen, case.moves) == {case.name}


@pytest.mark.parametrize("case", NOT_SHOWN, ids=str)
def test_it_is_nearly_this_pattern(case: Case) -> None:
    assert case.name not in names(case.fen, case.moves)


@pytest.mark.parametrize("cases", [SHOWN, NOT_SHOWN], ids=["for", "against"])
def test_no_pattern_is_left_out(cases: list[Case]) -> None:
    assert {case.name for case in cases} == set(PATTERNS)


def test_a_mate_may_be_of_two_patterns() -> None:
    position = "7k/R7/5N2/5B2/8/8/8/6K1 w - - 0 1"
    assert names(position, "a7h7") == {"arabianMate", "operaMate"}


def test_without_mate_there_is_no_pattern() -> None:
    replay = Replay(*parsed("6k1/5pp1/8/8/8/8/5PPP/R5K1 w - - 0 1", "a1a8"))
    assert list(named_mates(replay)) == []
