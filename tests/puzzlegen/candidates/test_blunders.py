from __future__ import annotations

from collections.abc import Sequence

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlegen.candidates import find_triples
from puzzlegen.rules import MiningRules, Pattern

BOTH = MiningRules()
ONE = MiningRules(pattern=Pattern.BLUNDER)


def plies(chances: Sequence[float | None], rules: MiningRules, share: float = 1.0) -> list[int]:
    return [triple.ply for triple in find_triples(chances, chess.WHITE, rules, share)]


@pytest.mark.parametrize(
    ("chances", "blunders", "pairs"),
    [
        # White blunders from even to lost, Black gives it back.
        ([0.0, -0.6, 0.0], [0], [0]),
        # Black punishes it.
        ([0.0, -0.6, -0.6], [0], []),
        # Black gives only a little back.
        ([0.0, -0.6, -0.35], [0], []),
        # Black blunders, White misses it.
        ([0.0, 0.0, 0.7, 0.1], [1], [1]),
        # A drop that leaves the game undecided.
        ([0.25, -0.2, 0.25], [], []),
        # A drop that only makes won more won.
        ([0.0, 0.0, 0.0], [], []),
        ([-0.35, -0.9, -0.35], [], []),
        # The game ends with the blunder.
        ([0.0, -0.8], [0], []),
        # Evaluations are missing.
        ([None, -0.8, 0.0], [], []),
        ([0.0, None, 0.0], [], []),
        ([0.0, -0.8, None], [0], []),
    ],
)
def test_patterns(chances: list[float | None], blunders: list[int], pairs: list[int]) -> None:
    assert plies(chances, ONE) == blunders
    assert plies(chances, BOTH) == pairs


def test_thresholds_can_be_relaxed() -> None:
    assert plies([0.0, -0.25, 0.0], BOTH) == []
    assert plies([0.0, -0.25, 0.0], BOTH, 0.5) == [0]


def test_values_are_the_solvers() -> None:
    (triple,) = find_triples([0.0, -0.6, 0.1], chess.WHITE, BOTH)
    assert (triple.before, triple.after, triple.reply) == (0.0, 0.6, -0.1)


CHANCES = st.lists(st.floats(-1, 1), max_size=30)


@given(CHANCES)
def test_colours_do_not_matter(chances: list[float]) -> None:
    turned = [-chance for chance in chances]
    assert find_triples(chances, chess.WHITE, BOTH) == find_triples(turned, chess.BLACK, BOTH)


@given(CHANCES)
def test_every_pair_begins_with_a_blunder(chances: list[float]) -> None:
    assert set(plies(chances, BOTH)) <= set(plies(chances, ONE))


def test_a_position_that_few_nodes_think_won_already_is_let_through() -> None:
    assert plies([-0.35, -0.9], ONE) == []
    assert plies([-0.35, -0.9], ONE, share=0.6) == [0]


def test_a_win_that_few_nodes_do_not_see_yet_is_let_through() -> None:
    assert plies([0.1, -0.25], ONE) == []
    assert plies([0.1, -0.25], ONE, share=0.6) == [0]


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=12), st.floats(0.1, 1.0), st.sampled_from([ONE, BOTH]))
def test_relaxed_thresholds_lose_nothing(chances: list[float], share: float, rules: MiningRules) -> None:
    assert set(plies(chances, rules)) <= set(plies(chances, rules, share))
