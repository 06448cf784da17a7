from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from tests.helpers.game_servers import Chesscom, Lichess, chesscom_game, lichess_game, running

NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("LICHESS_TOKEN", raising=False)


@pytest.fixture
def lichess() -> Iterator[Lichess]:
    """A server with nine games, of which three began in the same second and one took very long."""
    games = [lichess_game(number, NEW_YEAR + timedelta(days=number)) for number in range(4)]
    games += [lichess_game(number, NEW_YEAR + timedelta(days=4)) for number in range(4, 7)]
    games += [lichess_game(7, NEW_YEAR + timedelta(hours=6), NEW_YEAR + timedelta(days=5))]
    games += [lichess_game(8, NEW_YEAR + timedelta(days=8))]
    server = Lichess(games)
    with running(server):
        yield server


@pytest.fixture
def chesscom() -> Iterator[Chesscom]:
    """A server with games in two months of 2020, and in this month."""
    this_month = f"{datetime.now(UTC):%Y/%m}"
    games = [b"".join(map(chesscom_game, range(number, number + 5))) for number in (0, 5, 10)]
    server = Chesscom(dict(zip(["2020/01", "2020/11", this_month], games, strict=True)))
    with running(server):
        yield server
