from __future__ import annotations

import pytest

from chess_motif.suggestions import did_you_mean

KNOWN = ["pin", "fork", "backRankMate"]


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("frok", "; did you mean 'fork'?"),
        ("BACKRANKMATE", "; did you mean 'backRankMate'?"),
        ("zugzwang", ""),
    ],
)
def test_the_nearest_names(name: str, suggestion: str) -> None:
    assert did_you_mean(name, KNOWN) == suggestion
