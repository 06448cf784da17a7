"""Which games are downloaded, and where to."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from chess_motif.errors import InputError
from chess_motif.progress import Progress
from db.models import utc_now
from db.store import Store
from motifsearch.trainer import train as downloads
from motifsearch.trainer.train import game_files, players_of
from puzzlegen.games.accounts import Account
from puzzlegen.games.online import RECENT


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, date | None]]:
    """What was downloaded since when; two files for each account."""
    asked: list[tuple[str, date | None]] = []

    def download(account: Account, folder: Path, since: date | None, progress: Progress) -> list[Path]:
        asked.append((str(account), since))
        return [folder / f"{account.user}-1.pgn", folder / f"{account.user}-2.pgn"]

    monkeypatch.setattr(downloads, "download_games", download)
    return asked


def test_files_stay_and_accounts_become_files(
    sqlite_store: Store, asked: list[tuple[str, date | None]], tmp_path: Path
) -> None:
    files = game_files(["a.pgn", "Lichess:Ann", "-"], sqlite_store, Progress(), date(2024, 5, 1))
    beside = tmp_path / "games"
    assert files == ["a.pgn", str(beside / "ann-1.pgn"), str(beside / "ann-2.pgn"), "-"]
    assert asked == [("lichess:ann", date(2024, 5, 1))]


def test_recent_games_by_default(store: Store, asked: list[tuple[str, date | None]]) -> None:
    game_files(["chesscom:bob"], store, Progress())
    ((_, since),) = asked
    assert since is not None
    assert abs(since - (utc_now() - RECENT).date()) <= timedelta(days=1)


def test_the_player_is_the_user() -> None:
    assert players_of(["games.pgn", "lichess:Ann_99", "chesscom:ann"]) == ["ann_99", "ann"]


def test_a_bad_user_name() -> None:
    with pytest.raises(InputError, match="not a user name"):
        players_of(["lichess:../etc"])
