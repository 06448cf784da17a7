"""Downloading a player's games from Lichess or Chess.com into a folder.

Games from Lichess go into one file that only grows and is its own checkpoint. The next download asks for
games from the time on at which the latest game in the file began. Whether Lichess sorts games by their last
or first move, no new game is left out that way, and some known games come again.

Games from Chess.com go into one file for each month. A JSON file beside these files has notes about them.
httpx2 is loaded when a download begins.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from filelock import FileLock, Timeout

from chess_motif.errors import ArchiveError, InputError, reason_of
from chess_motif.output import rename, replacing
from chess_motif.progress import Progress
from puzzlegen.games.accounts import LICHESS, SITES, Account, GameSite
from puzzlegen.games.archive import open_archive
from puzzlegen.games.split import RawGame, split_games

if TYPE_CHECKING:
    from puzzlegen.games.server import Server

T = TypeVar("T")

# The environment variable with a token, for which Lichess sends games faster.
TOKEN = "LICHESS_TOKEN"

# The parameters of a request to Lichess.
_PARAMETERS = {
    "sort": "dateAsc",
    "perfType": "ultraBullet,bullet,blitz,rapid,classical,correspondence",
    "clocks": "true",
    "evals": "true",
    "opening": "true",
}
_TAG = re.compile(rb'^\[(Site|UTCDate|UTCTime) "(.+)"\]$', re.MULTILINE)

# The most bytes of an answer: Lichess' games (a million), Chess.com's list of months, and the games of a
# month.
MOST_GAMES = 4_000_000_000
MOST_LIST = 1_000_000
MOST_MONTH = 100_000_000

# How far back games are downloaded by default.
RECENT = timedelta(days=90)

# How long after its end a month may still change: the site's answers are up to twelve hours old.
SETTLING = timedelta(days=2)

# The note on a month that need not be downloaded again. The note on any other month is its ETag.
COMPLETE = "complete"


def download_games(
    account: Account, folder: Path, since: date | None, progress: Progress, site: GameSite | None = None
) -> list[Path]:
    """Download the games of an account into PGN files in a folder, and return those files, oldest first.

    Known games are not downloaded again: a call after one that failed or was stopped goes on, and a later
    call adds new games. `since` is the first day to ask for (None: all games); the files may have earlier
    games. `site` replaces the account's site.

    Returns early once the progress says to stop. Raises `InputError` if the site has no such user or a file
    cannot be used, and `DownloadError` if the games cannot be downloaded.
    """
    from puzzlegen.games.server import Server

    download = _download_lichess if account.site == LICHESS else _download_chesscom
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / f"{account.site}-{account.user}.lock", timeout=0)
        with lock, Server(site or SITES[account.site], account.user, progress) as server:
            return download(server, account, folder, since)
    except Timeout as error:
        raise InputError(
            f"{folder}: the games of {account} are being downloaded by another process"
        ) from error
    except OSError as error:
        raise InputError(f"{error.filename or folder}: {reason_of(error)}") from error


def _download_lichess(server: Server, account: Account, folder: Path, since: date | None) -> list[Path]:
    """Download the games of an account from the day `since` (UTC) on."""
    site, progress = server.site, server.progress
    path = folder / f"lichess-{account.user}.pgn"
    first = since.isoformat() if since else ""
    before = file = GameFile(path)
    lacks_earlier = path.exists() and first < _read_notes(_notes_of(path)).get("since", "?")
    if lacks_earlier:
        progress.notice(f"{path}: does not have the earlier games; downloading all games again")
        file = _begun_again(path.with_suffix(".new.pgn"), first)

    def ask() -> bool:
        start = file.latest or (datetime.combine(since, time(), UTC) if since else None)
        parameters = _PARAMETERS | ({"since": str(int(start.timestamp()) * 1000)} if start else {})
        with server.answer(f"/api/games/user/{account.user}", (200, 401, 404), parameters, headers) as answer:
            if answer.status_code == 401:
                raise InputError(f"{site.name} does not accept the token in {TOKEN}")
            if answer.status_code == 404:
                raise InputError(f"{site.name} has no user {account.user!r}")
            for text in server.games(server.pieces(answer, MOST_GAMES)):
                if not file.count:
                    _write_notes(_notes_of(file.path), {"since": first})
                try:
                    if file.add(text):
                        server.arrived()
                except ValueError as error:
                    raise server.later("sends half a game") from error
                progress.update(str(account), file.count, None, "game", f"{file.latest:%Y-%m-%d}")
                if progress.stopping:
                    return False
        return True

    headers = {"Accept": "application/x-chess-pgn"} | _authorization()
    if server.patiently(ask) and lacks_earlier and file.count:
        for text in before.texts():
            file.add(text)
        rename(file.path, path)
        rename(_notes_of(file.path), _notes_of(path))
    return [path] if path.exists() and path.stat().st_size else []


def _begun_again(path: Path, first: str) -> GameFile:
    """Return the file that will replace one without all games from the day `first` on.

    A download by an earlier call is continued if it began with the same day.
    """
    if _read_notes(_notes_of(path)).get("since") != first:
        path.unlink(missing_ok=True)
    return GameFile(path)


def _notes_of(path: Path) -> Path:
    return path.with_suffix(".json")


def _authorization() -> dict[str, str]:
    """Return the header with the user's token, if any. Raises `InputError` for an impossible token."""
    token = os.environ.get(TOKEN, "").strip()
    if not re.fullmatch(r"[!-~]*", token):
        raise InputError(f"{TOKEN} does not hold a token")
    return {"Authorization": f"Bearer {token}"} if token else {}


class GameFile:
    """A file of games from Lichess, each with one blank line after it.

    `count` is the number of games, `latest` the latest beginning of a game. An incomplete game at the end is
    removed. Raises `ArchiveError` if there is anything else in the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        self.latest: datetime | None = None
        self._sites: set[bytes] = set()
        if path.exists():
            os.truncate(path, self._read())

    def add(self, text: bytes) -> bool:
        """Write a game if it is new; return whether it is. Raises `ValueError` for half a game."""
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
        for game in self._games():
            if game.offset != end:
                raise ArchiveError(f"{self.path}: has other text at byte {end}; move the file elsewhere")
            try:
                self._remember(*_site_and_time(game.text))
            except ValueError:
                continue
            end = game.end
        return end

    def texts(self) -> Iterator[bytes]:
        """Yield the games."""
        return (game.text for game in self._games())

    def _games(self) -> Iterator[RawGame]:
        with open_archive(str(self.path)) as archive:
            yield from split_games(archive.chunks())

    def _remember(self, site: bytes, began: datetime) -> None:
        self.count += 1
        self.latest = max(began, self.latest or began)
        self._sites.add(site)


def _site_and_time(text: bytes) -> tuple[bytes, datetime]:
    """Return the address and the start time of a game. Raises `ValueError` for half a game."""
    tags, _, moves = text.partition(b"\n\n")
    values = dict(_TAG.findall(tags))
    if b"Site" not in values or not moves.strip() or not text.endswith(b"\n\n"):
        raise ValueError("not a whole game")
    began = b" ".join(values.get(name, b"") for name in (b"UTCDate", b"UTCTime"))
    return values[b"Site"], datetime.strptime(began.decode(), "%Y.%m.%d %H:%M:%S").replace(tzinfo=UTC)


def _download_chesscom(server: Server, account: Account, folder: Path, since: date | None) -> list[Path]:
    """Download the games of an account from the month of `since` on."""
    now = datetime.now(UTC)
    first = since.isoformat()[:7] if since else ""
    notes_file = folder / f"chesscom-{account.user}.json"
    notes = _read_notes(notes_file)
    files = []
    listed = server.patiently(partial(_months, server, account)) or []
    months = [month for month in listed if month >= first]
    for done, month in enumerate(months, 1):
        file = folder / f"chesscom-{account.user}-{month}.pgn"
        known = notes.get(month, "") if file.exists() else ""
        if known != COMPLETE:
            path = f"{_games(account)}/{month.replace('-', '/')}/pgn"
            tag = server.patiently(partial(_month, server, path, file, known))
            if tag is None:
                break
            notes[month] = COMPLETE if _settled(month, now) else tag
            _write_notes(notes_file, notes)
        if file.stat().st_size:
            files.append(file)
        server.progress.update(str(account), done, len(months), "month", month)
    return files


def _games(account: Account) -> str:
    return f"/pub/player/{account.user}/games"


@dataclass
class _List:
    """Chess.com's list of a player's months."""

    archives: list[str]


def _months(server: Server, account: Account) -> list[str]:
    """Return the months in which a player has games, such as `2024-01`, in order.

    The addresses in the answer are only checked, and not used for requests.
    """
    with server.answer(f"{_games(account)}/archives", (200, 404, 410)) as answer:
        if answer.status_code != 200:
            raise InputError(f"{server.site.name} has no user {account.user!r}")
        content = b"".join(server.pieces(answer, MOST_LIST))
    try:
        addresses = _parsed(_List, content).archives
    except ValueError as error:
        raise server.error("sends an unreadable list of months") from error
    address = re.compile(rf"{re.escape(server.site.url + _games(account))}/(20[0-9]{{2}})/(0[1-9]|1[0-2])")
    months = [address.fullmatch(text) for text in addresses]
    if None in months:
        raise server.error("lists something other than months of the player")
    return sorted({f"{month[1]}-{month[2]}" for month in months if month})


def _month(server: Server, path: str, file: Path, tag: str) -> str:
    """Download a month into a file, unless its ETag is still `tag`; return the ETag, which may be empty."""
    headers = {"If-None-Match": tag} if tag else {}
    with server.answer(path, (200, 304) if tag else (200,), headers=headers) as answer:
        if answer.status_code == 304:
            return tag
        with replacing(file) as out:
            out.writelines(server.games(server.pieces(answer, MOST_MONTH)))
        tag = str(answer.headers.get("ETag", ""))
    return tag if tag.isascii() else ""


def _settled(month: str, now: datetime) -> bool:
    """Return whether a month that is downloaded now will not change any more."""
    following = (datetime.fromisoformat(f"{month}-01T00:00Z") + timedelta(days=31)).replace(day=1)
    return now >= following + SETTLING


def _read_notes(file: Path) -> dict[str, str]:
    """Return the notes of a file; none if it is missing or damaged. Raises `OSError`."""
    try:
        return _parsed(dict[str, str], file.read_bytes())
    except (FileNotFoundError, ValueError):
        return {}


def _write_notes(file: Path, notes: dict[str, str]) -> None:
    """Write all notes of a file. Raises `OSError`."""
    with replacing(file) as out:
        out.write(json.dumps(notes, indent=2).encode())


def _parsed(kind: type[T], text: bytes) -> T:
    """Return a JSON text as a value of this type. Raises `ValueError` if it is not one."""
    # Imported only here: pydantic takes a tenth of a second.
    from pydantic import TypeAdapter

    return TypeAdapter(kind).validate_json(text)
