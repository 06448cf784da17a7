"""What two solutions share, in words."""

from __future__ import annotations

import pytest

from motifsearch.puzzles.explanation import shared_words
from puzzlegen.motifs.table import TAGS
from puzzlegen.reasons.tactics import Tactics
from tests.helpers.sample_puzzles import PUZZLES
from tests.helpers.solutions import colours_swapped, parsed

GREEK_GIFT_TOO = "rnbq1rk1/pp3ppp/4p3/2ppP3/1b1P4/2NB1N2/PPP2PPP/R1BQK2R w KQ - 0 1"


def played(name: str) -> Tactics:
    return Tactics(*parsed(*PUZZLES[name]))


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        pytest.param("fork", "black's fork", "knight forks rook and king", id="on another side"),
        pytest.param("back rank", "back rank, two moves", "back-rank mate, rook mates", id="a mate"),
        pytest.param("fork", "promotion", "", id="nothing"),
    ],
)
def test_words(one: str, other: str, words: str) -> None:
    assert shared_words(played(one), played(other)) == words


def test_a_sacrifice_on_the_same_square_is_named_with_it() -> None:
    other = Tactics(*parsed(GREEK_GIFT_TOO, "d3h7 g8h7 f3g5"))
    assert "bishop sacrifice on h7 taken by the king" in shared_words(played("greek gift"), other)


def test_a_sacrifice_on_the_other_side_of_the_board_is_named_without_its_square() -> None:
    other = Tactics(*colours_swapped(parsed(GREEK_GIFT_TOO, "d3h7 g8h7 f3g5")))
    assert "bishop sacrifice taken by the king" in shared_words(played("greek gift"), other)


def test_every_phrase_can_be_filled_in() -> None:
    for tag in TAGS.values():
        filled = tag.shared.format(by="rook", to="king", first="queen", last="king", place=" on h7")
        assert "{" not in filled
