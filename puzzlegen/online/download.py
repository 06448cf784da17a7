"""Downloading a player's games into a folder."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from chess_motif.errors import InputError, reason_of
from chess_motif.progress import Progress
from puzzlegen.online.account import LICHESS, SITES, Account, Site


def download_games(
    account: Account, folder: Path, since: date | None, progress: Progress, site: Site | None = None
) -> list[Path]:
    """Download the games of an account into PGN files in a folder, and return those files, oldest first.

    What was downloaded before is not downloaded again: a call after one that failed, or was stopped, goes on,
    and a later one adds the games played since. `since` is the day from which on games are asked for, None
    for all; the files may have earlier ones. `site` replaces where the account's site is.

    Returns early once the progress says to stop. Raises `InputError` if the site has no such user or a file
    cannot be used, `DownloadError` if the games cannot be downloaded, and `LibraryMissingError` without the
    extra `online`.
    """
    # Imported only here: they need an extra, and take time to load.
    if account.site == LICHESS:
        from puzzlegen.online.lichess import download
    else:
        from puzzlegen.online.chesscom import download
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return download(account, site or SITES[account.site], folder, since, progress)
    except OSError as error:
        raise InputError(f"{error.filename or folder}: {reason_of(error)}") from error
