"""The command that follows a mining run, and why a run stored nothing."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from puzzlegen.cli.mine import after_mining
from puzzlegen.cli.options import next_step
from puzzlegen.games.pgn import Skip
from puzzlegen.mining.report import MiningSummary
from puzzlegen.rules import Pattern
from puzzlegen.verify.solution import Rejection

RUN: dict[str, Any] = {
    "pattern": Pattern.BLUNDER_BLUNDER,
    "player": None,
    "evaluated_only": False,
    "limit": None,
    "db": None,
}


@pytest.mark.parametrize(
    ("summary", "run", "why", "command"),
    [
        (MiningSummary(games=5, puzzles=1), {}, "", "puzzlegen list"),
        (MiningSummary(games=5, known=1), {"db": "my games.db"}, "", "puzzlegen list --db 'my games.db'"),
        (
            MiningSummary(games=5, skipped=Counter({Skip.NO_EVALUATIONS: 5})),
            {"evaluated_only": True, "limit": 5},
            "evaluations",
            "puzzlegen mine a.pgn --limit 5",
        ),
        (MiningSummary(games=5), {}, "No position", "puzzlegen mine a.pgn --pattern blunder"),
        (
            MiningSummary(
                games=5, candidates=3, rejected=Counter({Rejection.UNSTABLE: 1, Rejection.TOO_SHORT: 2})
            ),
            {"player": "Nemo"},
            "only one move to find",
            "puzzlegen mine a.pgn --pattern blunder --player Nemo",
        ),
        (
            MiningSummary(games=5),
            {"pattern": Pattern.BLUNDER, "limit": 5},
            "Later games",
            "puzzlegen mine a.pgn --pattern blunder",
        ),
    ],
)
def test_the_next_command_changes_what_is_to_blame(
    summary: MiningSummary, run: dict[str, Any], why: str, command: str
) -> None:
    advice = after_mining(summary, ["a.pgn"], **RUN | run)
    assert why in advice
    assert advice.splitlines()[-1] == f"Next: {command}"


@pytest.mark.parametrize(
    ("summary", "why"),
    [
        (MiningSummary(), "No game"),
        (MiningSummary(games=2, skipped=Counter({Skip.VARIANT: 2})), "most often for this reason: variant"),
        (MiningSummary(games=2, candidates=1, rejected=Counter({Rejection.NO_GAIN: 1})), "gain"),
    ],
)
def test_no_command_is_named_where_none_helps(summary: MiningSummary, why: str) -> None:
    advice = after_mining(summary, ["a.pgn"], **RUN | {"pattern": Pattern.BLUNDER})
    assert why in advice
    assert "Next:" not in advice


def test_no_pattern_finds_more_in_games_that_were_all_skipped() -> None:
    summary = MiningSummary(games=3, skipped=Counter({Skip.VARIANT: 2, Skip.NO_MOVES: 1}))
    assert "Every game was skipped" in after_mining(summary, ["a.pgn"], **RUN)


def test_a_player_who_is_in_no_game() -> None:
    """The games of everybody else are not what was asked for."""
    summary = MiningSummary(games=5, skipped=Counter({Skip.OTHER_PLAYER: 5}))
    advice = after_mining(summary, ["a.pgn"], **RUN | {"player": "Nemo"})
    assert "'Nemo'" in advice
    assert "puzzlegen mine" not in advice


def test_the_next_command_has_nothing_that_a_terminal_obeys() -> None:
    step = next_step("motifsearch", "solve", "an\x1b[31ma", db="\u202e.db")
    assert step == r"Next: motifsearch solve $'an\x1b[31ma' --db $'\u202e.db'"
