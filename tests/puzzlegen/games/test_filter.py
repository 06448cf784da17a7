"""Which games of an archive are wanted."""

from __future__ import annotations

import pytest

from chess_motif.errors import InputError
from db.models import Game
from puzzlegen.games.filter import PUBLISHED, ArchiveFilter, speed_of
from puzzlegen.games.pgn import Skip, read_game
from puzzlegen.games.split import split_games
from tests.helpers.sample_games import pgn


def game(**headers: str) -> Game:
    (raw,) = split_games(iter([pgn("1. e4 e5", **headers).encode()]))
    return read_game(raw).row()


@pytest.mark.parametrize(
    ("time_control", "speed"),
    [
        ("15+0", "bullet"),
        ("120+1", "bullet"),
        ("180+0", "blitz"),
        ("60+3", "blitz"),
        ("480", "rapid"),
        ("900+15", "classical"),
        ("-", ""),
        ("?", ""),
        ("40/7200:3600", ""),
        ("1/259200", ""),
    ],
)
def test_the_speed_of_a_time_control(time_control: str, speed: str) -> None:
    assert speed_of(time_control) == speed


@pytest.mark.parametrize(
    ("white", "black", "reason"),
    [("2000", "2000", None), ("2000", "1999", Skip.LOWER_RATED), ("2500", "?", Skip.LOWER_RATED)],
)
def test_both_ratings_count(white: str, black: str, reason: Skip | None) -> None:
    assert ArchiveFilter(min_elo=2000).refuses(game(WhiteElo=white, BlackElo=black)) is reason


@pytest.mark.parametrize(
    ("speed", "time_control", "wanted"),
    [
        ("bullet", "60+0", True),
        ("bullet", "600+0", False),
        ("bullet", "?", False),
        ("!bullet", "60+0", False),
        ("!bullet", "600+0", True),
        ("!bullet", "?", True),
    ],
)
def test_a_speed_or_all_others(speed: str, time_control: str, wanted: bool) -> None:
    refused = ArchiveFilter(speed=speed).refuses(game(TimeControl=time_control))
    assert refused is (None if wanted else Skip.OTHER_SPEED)


def test_the_games_of_the_paper() -> None:
    strong = {"WhiteElo": "2100", "BlackElo": "2200"}
    assert PUBLISHED.refuses(game(**strong, TimeControl="300+3")) is None
    assert PUBLISHED.refuses(game(**strong, TimeControl="60+0")) is Skip.OTHER_SPEED


@pytest.mark.parametrize("speed", ["slow", "", "!", "!!bullet"])
def test_another_speed_is_an_error(speed: str) -> None:
    with pytest.raises(InputError, match="bullet"):
        ArchiveFilter(speed=speed)
