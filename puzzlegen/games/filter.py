"""Which games of an archive are wanted, by what their headers say."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chess_motif.errors import InputError
from db.models import Game
from puzzlegen.games.pgn import Skip

# The speeds of Lichess, each for games of less than this many seconds: the initial time and forty increments
# (https://lichess.org/faq#time-controls).
SPEEDS = {"bullet": 180, "blitz": 480, "rapid": 1500, "classical": 22_000}
MOVES_OF_A_GAME = 40

_TIME_CONTROL = re.compile(r"(\d{1,6})(?:\+(\d{1,4}))?")


@dataclass(frozen=True)
class ArchiveFilter:
    """Conditions on the games of an archive, all of which must hold.

    `min_elo` bounds the ratings of both players, which must be known. `speed` is one of `SPEEDS`; with a
    leading exclamation mark, games of that speed are left out, but not games of unknown speed. Raises
    `InputError` for another speed.
    """

    min_elo: int | None = None
    speed: str | None = None

    def __post_init__(self) -> None:
        if self.speed is not None and self.speed.removeprefix("!") not in SPEEDS:
            raise InputError(
                f"there is no speed {self.speed!r}, only {', '.join(SPEEDS)}, each also with '!' before"
            )

    def refuses(self, game: Game) -> Skip | None:
        """Return why a game is left out, None if it is wanted."""
        if self.min_elo is not None and min(game.white_elo or 0, game.black_elo or 0) < self.min_elo:
            return Skip.LOWER_RATED
        if self.speed is not None:
            named = speed_of(game.time_control) == self.speed.removeprefix("!")
            if named == self.speed.startswith("!"):
                return Skip.OTHER_SPEED
        return None


# The games of the paper on retrieval-based engines (Ajith, Gunnarsson & Xu, section 3.1).
PUBLISHED = ArchiveFilter(min_elo=2000, speed="!bullet")


def speed_of(time_control: str) -> str:
    """Return the speed of a game with a time control such as `180+2`, empty if it is not known."""
    found = _TIME_CONTROL.fullmatch(time_control)
    if found is None:
        return ""
    seconds = int(found[1]) + MOVES_OF_A_GAME * int(found[2] or 0)
    return next((speed for speed, most in SPEEDS.items() if seconds < most), "")
