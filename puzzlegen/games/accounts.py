"""Accounts of players on the sites from which games are downloaded.

A text such as `lichess:anna` goes in; an account comes out, or None for a text that may name a file. This
module makes no requests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from chess_motif.errors import InputError

_USER = re.compile(r"[A-Za-z0-9_-]{2,30}")


@dataclass(frozen=True)
class GameSite:
    """A site's public API at the address `url`, and the waiting times in seconds.

    `pauses` come before each new attempt after a failure, `busy_pauses` if the site reports too many
    requests; when they are used up, the download fails. `timeout` is how long the site may be silent.
    """

    name: str
    url: str
    pauses: tuple[float, ...] = (2, 10, 30, 60)
    # Lichess asks to wait for a full minute.
    busy_pauses: tuple[float, ...] = (60, 60, 120, 300)
    timeout: float = 60


LICHESS = "lichess"
CHESSCOM = "chesscom"
SITES = {
    LICHESS: GameSite("lichess.org", "https://lichess.org"),
    CHESSCOM: GameSite("chess.com", "https://api.chess.com"),
}


@dataclass(frozen=True)
class Account:
    """The account of `user` on one of `SITES`. The name becomes lower case, since sites ignore the case.

    Raises `InputError` for an unknown site or an impossible user name.
    """

    site: str
    user: str

    def __post_init__(self) -> None:
        if self.site not in SITES:
            raise InputError(f"unknown site {self.site!r}; the sites are {' and '.join(SITES)}")
        if not _USER.fullmatch(self.user):
            raise InputError(f"{self.user!r} is not a user name: 2 to 30 letters, digits, _ or -")
        object.__setattr__(self, "user", self.user.lower())

    def __str__(self) -> str:
        return f"{self.site}:{self.user}"


def account_of(text: str) -> Account | None:
    """Return the account that `lichess:USER` or `chesscom:USER` names.

    None if the text does not begin with a site, and may name a file. Raises `InputError` for an impossible
    user name.
    """
    site, colon, user = text.partition(":")
    return Account(site.lower(), user) if colon and site.lower() in SITES else None
