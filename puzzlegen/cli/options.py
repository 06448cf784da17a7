"""The filters of both commands: which puzzles are wanted, as options."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from db.store import URL_VARIABLE, Store


class Side(StrEnum):
    """Who solves a puzzle."""

    WHITE = "white"
    BLACK = "black"


DatabaseOption = Annotated[
    str | None,
    typer.Option(
        "--db",
        envvar=URL_VARIABLE,
        metavar="URL",
        help="Database: a SQLite file or any SQLAlchemy URL. Default: a file in your data directory.",
        show_default=False,
    ),
]
RatingOption = Annotated[
    str | None, typer.Option("--rating", metavar="MIN-MAX", help="Rating, such as 1200-1600, 1800- or -1400.")
]
TagOption = Annotated[
    list[str] | None, typer.Option("--tag", metavar="TAG", help="Tag or theme; several must all be there.")
]
GapOption = Annotated[
    float | None,
    typer.Option("--gap", min=0.0, max=2.0, help="Least win-chance gap of each move (0.7: strict puzzles)."),
]
EndsOption = Annotated[str | None, typer.Option("--ends", metavar="mate|material", help="How it wins.")]
SourceOption = Annotated[
    str | None,
    typer.Option("--source", metavar="NAME", help="Where it comes from: mined, lichess, pgn, epd."),
]
PlayerOption = Annotated[
    str | None, typer.Option("--player", metavar="NAME", help="Part of a player's name.")
]
SoundOption = Annotated[
    bool, typer.Option("--sound", help="Leave out what an audit found fault with (audit --mark).")
]

AnyTagOption = Annotated[
    list[str] | None, typer.Option("--any-tag", metavar="TAG", help="Of several, one at least must be there.")
]
NoTagOption = Annotated[
    list[str] | None, typer.Option("--no-tag", metavar="TAG", help="Must not be there; may be given again.")
]
SideOption = Annotated[Side | None, typer.Option("--side", help="Who solves.")]
LengthOption = Annotated[
    str | None, typer.Option("--length", metavar="MIN-MAX", help="Solver's moves, such as 2 or 2-4.")
]
MenOption = Annotated[
    str | None, typer.Option("--men", metavar="MIN-MAX", help="Men on the board, such as -12 for endgames.")
]


def bounds(text: str | None, option: str) -> tuple[int | None, int | None]:
    """Return the numbers of MIN-MAX, MIN-, -MAX or a single one; `option` is where they were given."""
    if text is None:
        return (None, None)
    lowest, dash, highest = text.partition("-")
    try:
        low = int(lowest) if lowest else None
        high = int(highest) if highest else (None if dash else low)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not MIN-MAX", param_hint=option) from error
    if low is not None and high is not None and low > high:
        raise typer.BadParameter(f"{text!r} has its larger number first", param_hint=option)
    return (low, high)


def open_store(url: str | None) -> Store:
    """Open the database that the user named, or the default one."""
    return Store(url)
