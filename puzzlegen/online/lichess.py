"""Games from Lichess, in one file that only grows and is its own checkpoint.

Games are asked for from the time on at which the latest one in the file began. Lichess lists games by their
last move, or by their first: either way no game that is still to come is left out, and some that are in the
file come again.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, date, datetime, time
from pathlib import Path

from chess_motif.errors import ArchiveError, InputError
from chess_motif.progress import Progress
from puzzlegen.games.archive import open_archive
from puzzlegen.games.split import split_games
from puzzlegen.online.account import Account, Site
from puzzlegen.online.notes import read_notes, write_notes
from puzzlegen.online.server import Server, TryLater

# The environment variable with a token, for which Lichess sends games faster.
TOKEN = "LICHESS_TOKEN"

_PARAMETERS = {
    "sort": "dateAsc",
    "perfType": "ultraBullet,bullet,blitz,rapid,classical,correspondence",
    "clocks": "true",
    "evals": "true",
    "opening": "true",
}

_TAG = re.compile(rb'^\[(Site|UTCDate|UTCTime) "(.+)"\]$', re.MULTILINE)


class GameFile:
    """A file of games from Lichess, each with one blank line after it.

    `count` is how many it has, `latest` when the one that began last did. Of a game that was not written to
    its end, nothing stays. Raises `ArchiveError` if there is anything else in the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        self.latest: datetime | None = None
        self._sites: set[bytes] = set()
        if path.exists():
            os.truncate(path, self._read())

    def add(self, text: bytes) -> bool:
        """Write a game, unless it is there; return whether it is new. Raises `ValueError` for half a game."""
        site, began = _site_and_time(text)
        if site in self._sites:
            return False
        with self.path.open("ab") as out:
            out.write(text.strip() + b"\n\n")
        self._remember(site, began)
        return True

    def _read(self) -> int:
        """Read the file; return where its last whole game ends."""
        end = 0
        with open_archive(str(self.path)) as archive:
            for game in split_games(archive.chunks()):
                if game.offset != end:
                    raise ArchiveError(f"{self.path}: holds other text at byte {end}; move it elsewhere")
                try:
                    self._remember(*_site_and_time(game.text))
                except ValueError:
                    continue
                end = game.end
        return end

    def _remember(self, site: bytes, began: datetime) -> None:
        self.count += 1
        self.latest = max(began, self.latest or began)
        self._sites.add(site)


def download(
    account: Account, site: Site, folder: Path, since: date | None, progress: Progress
) -> list[Path]:
    """Download the games of an account from the day `since` (UTC) on, as `download_games` does."""
    path = folder / f"lichess-{account.user}.pgn"
    notes = path.with_suffix(".json")
    first = since.isoformat() if since else ""
    if path.exists() and first < read_notes(notes).get("since", "?"):
        progress.notice(f"{path}: lacks earlier games that are asked for; starting over")
        path.unlink()
    file = GameFile(path)

    def ask() -> None:
        start = file.latest or (datetime.combine(since, time(), UTC) if since else None)
        parameters = _PARAMETERS | ({"since": str(int(start.timestamp()) * 1000)} if start else {})
        with server.answer(f"/api/games/user/{account.user}", (200, 401, 404), parameters, headers) as answer:
            if answer.status_code == 401:
                raise InputError(f"{site.name} does not accept the token in {TOKEN}")
            if answer.status_code == 404:
                raise InputError(f"{site.name} has no user {account.user!r}")
            for text in server.games(answer.iter_bytes()):
                if not file.count:
                    write_notes(notes, {"since": first})
                try:
                    if file.add(text):
                        server.arrived()
                except ValueError as error:
                    raise TryLater("sends half a game") from error
                progress.update(str(account), file.count, None, "game", f"{file.latest:%Y-%m-%d}")
                if progress.stopping:
                    return

    headers = {"Accept": "application/x-chess-pgn"} | _authorization()
    with Server(site, account.user, progress) as server:
        server.patiently(ask)
    return [path] if file.count else []


def _authorization() -> dict[str, str]:
    """Return the header with the user's token, if there is one. Raises `InputError` if it cannot be one."""
    token = os.environ.get(TOKEN, "").strip()
    if not re.fullmatch(r"[!-~]*", token):
        raise InputError(f"{TOKEN} does not hold a token")
    return {"Authorization": f"Bearer {token}"} if token else {}


def _site_and_time(text: bytes) -> tuple[bytes, datetime]:
    """Return the address and the beginning of a whole game. Raises `ValueError` if it is not one."""
    tags, _, moves = text.partition(b"\n\n")
    values = dict(_TAG.findall(tags))
    if b"Site" not in values or not moves.strip() or not text.endswith(b"\n\n"):
        raise ValueError("not a whole game")
    began = b" ".join(values.get(name, b"") for name in (b"UTCDate", b"UTCTime"))
    return values[b"Site"], datetime.strptime(began.decode(), "%Y.%m.%d %H:%M:%S").replace(tzinfo=UTC)
