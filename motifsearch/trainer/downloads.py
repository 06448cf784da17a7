"""The files of a player's games, which may have to be downloaded."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import platformdirs

from chess_motif.progress import Progress
from db.models import utc_now
from db.store import Store
from puzzlegen.online.account import account_of
from puzzlegen.online.download import download_games

# How far back games are downloaded by default.
RECENT = timedelta(days=90)


def game_files(
    games: Sequence[str], store: Store, progress: Progress, since: date | None = None
) -> list[str]:
    """Return the files of `games`: those for `lichess:USER` and `chesscom:USER` are downloaded first.

    They are stored beside the database, and later only what is new is downloaded. `since` is the day from
    which on games are downloaded (default: `RECENT`). Raises `InputError`, `DownloadError`,
    `LibraryMissingError`.
    """
    since = since or (utc_now() - RECENT).date()
    beside = store.path.parent if store.path else platformdirs.user_data_path("chess-motif")
    files: list[str] = []
    for name in games:
        account = account_of(name)
        if account is None:
            files.append(name)
        else:
            files += map(str, download_games(account, beside / "games", since, progress))
    return files


def players_of(games: Sequence[str]) -> list[str]:
    """Return the user names among `games`, such as `lichess:USER`."""
    return [account.user for account in map(account_of, games) if account is not None]
