"""Games from Chess.com, in one file for each month.

The notes have `COMPLETE` for the months that need not be asked for again, and the ETags of the others.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path

from pydantic import BaseModel

from chess_motif.errors import InputError
from chess_motif.output import replacing
from chess_motif.progress import Progress
from puzzlegen.online.account import Account, Site
from puzzlegen.online.notes import read_notes, write_notes
from puzzlegen.online.server import Server

# Most bytes of the list of months, and of the games of a month.
MOST_LIST = 1_000_000
MOST_MONTH = 100_000_000

# How long after its end a month may still change: the site's answers are up to twelve hours old.
SETTLING = timedelta(days=2)

COMPLETE = "complete"


class _List(BaseModel):
    archives: list[str]


def download(
    account: Account, site: Site, folder: Path, since: date | None, progress: Progress
) -> list[Path]:
    """Download the games of an account from the month of `since` on, as `download_games` does."""
    now = datetime.now(UTC)
    first = since.isoformat()[:7] if since else ""
    notes_file = folder / f"chesscom-{account.user}.json"
    notes = read_notes(notes_file)
    files = []
    with Server(site, account.user, progress) as server:
        listed = server.patiently(partial(_months, server, account, site)) or []
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
                write_notes(notes_file, notes)
            if file.stat().st_size:
                files.append(file)
            progress.update(str(account), done, len(months), "month", month)
    return files


def _games(account: Account) -> str:
    return f"/pub/player/{account.user}/games"


def _months(server: Server, account: Account, site: Site) -> list[str]:
    """Return the months in which a player has games, such as `2024-01`, in order.

    The addresses in the answer are checked, and not used any further.
    """
    with server.answer(f"{_games(account)}/archives", (200, 404, 410)) as answer:
        if answer.status_code != 200:
            raise InputError(f"{site.name} has no user {account.user!r}")
        content = b"".join(server.pieces(answer, MOST_LIST))
    try:
        addresses = _List.model_validate_json(content).archives
    except ValueError as error:
        raise server.error("sends what is not a list of months") from error
    address = re.compile(rf"{re.escape(site.url + _games(account))}/(20[0-9]{{2}})/(0[1-9]|1[0-2])")
    months = [address.fullmatch(text) for text in addresses]
    if None in months:
        raise server.error("lists what are not months of the player")
    return sorted({f"{month[1]}-{month[2]}" for month in months if month})


def _month(server: Server, path: str, file: Path, tag: str) -> str:
    """Download a month into a file, unless `tag` still is its ETag; return its ETag, empty if it has none."""
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
