"""Downloading one game, or one chapter of a study, from Lichess."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from urllib.parse import quote

from chess_motif.errors import DownloadError, InputError
from chess_motif.progress import Progress
from puzzlegen.games.accounts import LICHESS, SITES, GameSite

# Somebody waits for the answer: seconds that Lichess may be silent, and bytes that it may send.
PATIENCE = 8
MOST_BYTES = 1_000_000

# Answers that are kept.
REMEMBERED = 100


def download_game(path: str) -> bytes:
    """Return the first game at a path of Lichess that has PGN, such as `/game/export/abcdefgh`.

    Raises `InputError` if there is none, and `DownloadError` if Lichess cannot be reached or sends no game.
    """
    site = SITES[LICHESS]
    return _downloaded(replace(site, timeout=min(site.timeout, PATIENCE)), path)


@lru_cache(maxsize=REMEMBERED)
def _downloaded(site: GameSite, path: str) -> bytes:
    # Imported only here: httpx2 takes a tenth of a second.
    from puzzlegen.games.server import Server, TryLater

    try:
        with Server(site, "", Progress()) as server, server.answer(quote(path), (200, 403, 404)) as answer:
            if answer.status_code != 200:
                raise InputError(f"{site.name} shows nobody a game at {path}")
            if game := next(server.games(server.pieces(answer, MOST_BYTES)), None):
                return game
            raise server.error("sends no game")
    except TryLater as error:
        raise DownloadError(f"{site.name} cannot be asked for the game: {error}") from error
