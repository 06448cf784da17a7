"""What two solutions share, in words."""

from __future__ import annotations

import pytest

from motifsearch.puzzles.explanation import _MATE_NAMES, _PHRASES, shared_words
from puzzlegen.motifs.mates import PATTERNS
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


def test_every_named_mate_has_a_name_in_words() -> None:
    assert set(_MATE_NAMES) == set(PATTERNS)


def test_every_phrase_can_be_filled_in() -> None:
    for exact, plain in _PHRASES.values():
        filled = exact.format(by="rook", to="king", first="queen", last="king")
        assert "{" not in filled + plain
