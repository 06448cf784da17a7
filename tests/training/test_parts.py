"""What is for the test, and what is drawn: the models that are shipped depend on both."""

from __future__ import annotations

from random import Random

import pytest

from chess_motif.held_out import (
    RATED_SHARE,
    RETRIEVAL_SHARE,
    game_is_for_test,
    is_for_test,
    puzzle_is_for_test,
)
from training.parts import WEIGHTS_SHARE, sample_plies

NAMES = [f"{number:08x}" for number in range(1000)]


@pytest.mark.parametrize("share", [RATED_SHARE, WEIGHTS_SHARE])
def test_about_as_much_is_for_the_test_as_was_asked_for(share: int) -> None:
    assert sum(is_for_test(name, share) for name in NAMES) / len(NAMES) == pytest.approx(
        share / 256, abs=0.03
    )


def test_what_is_for_the_test_stays_so() -> None:
    assert [name for name in NAMES[:20] if is_for_test(name, RATED_SHARE)] == ["0000000e", "00000012"]


def test_the_puzzles_of_a_game_are_in_the_same_part() -> None:
    for name in NAMES[:100]:
        game = {"GameUrl": f"https://lichess.org/{name}/black#40"}
        assert len({puzzle_is_for_test({**game, "PuzzleId": other}) for other in NAMES[:20]}) == 1


def test_without_its_game_the_id_of_a_puzzle_decides() -> None:
    expected = [is_for_test(name, RATED_SHARE) for name in NAMES]
    assert [puzzle_is_for_test({"GameUrl": "", "PuzzleId": name}) for name in NAMES] == expected


def test_chessbert_is_tested_on_about_one_game_in_fifty() -> None:
    assert sum(game_is_for_test(f"{number:02x}") for number in range(256)) == RETRIEVAL_SHARE


def test_a_sample_of_plies_is_that_of_the_game() -> None:
    assert sample_plies("key", range(10, 60), 3) == {*Random("key").sample(range(10, 60), 3)}
    assert sample_plies("key", range(2), 3) == {0, 1}
