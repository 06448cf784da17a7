"""Which filters on games say what White or Black did."""

from __future__ import annotations

import pytest

from db.games import GameFilter
from motifsearch.positions.ranking import Colours, default_colours


@pytest.mark.parametrize(
    "games",
    [
        GameFilter(player="Ann", white=True),
        GameFilter(player="Ann", white=False),
        GameFilter(result="1-0"),
        GameFilter(eco="B9"),
    ],
    ids=str,
)
def test_what_one_side_did_fixes_the_colours(games: GameFilter) -> None:
    assert default_colours(games) is Colours.SAME


@pytest.mark.parametrize(
    "games",
    [
        GameFilter(),
        GameFilter(player="Ann"),
        GameFilter(result="1/2-1/2"),
        GameFilter(elo=(2500, None)),
        GameFilter(date=("2013", None)),
        GameFilter(other_than=1),
    ],
    ids=str,
)
def test_other_filters_leave_the_colours_open(games: GameFilter) -> None:
    assert default_colours(games) is Colours.EITHER
