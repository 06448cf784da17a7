"""Material as a word."""

from __future__ import annotations

import chess
import pytest

from chess_motif.errors import InputError
from chess_motif.material import material_of, parse_material


@pytest.mark.parametrize("word", ["KRPP-KBP", "K-K", "KQQRRBBNNPPPPPPP-KPPPPPPPP"])
def test_a_word_stays_as_it_is(word: str) -> None:
    assert parse_material(word) == word


def test_any_case_and_order() -> None:
    assert parse_material("pRkp-pbK") == "KRPP-KBP"


def test_the_pieces_of_a_position_are_such_a_word() -> None:
    word = material_of(chess.Board())
    assert word == "KQRRBBNNPPPPPPPP-KQRRBBNNPPPPPPPP"
    assert parse_material(word) == word


@pytest.mark.parametrize(
    "text", ["", "-", "KR", "KR-R", "KK-K", "KA-K", "K-K-K", "KPPPPPPPPP-K", "KvK", "K-KNNNNNNNNNNNNNNNN"]
)
def test_what_is_no_material(text: str) -> None:
    with pytest.raises(InputError, match="KRPP-KBP"):
        parse_material(text)
