"""The options that select the games in which positions are searched for."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated

import typer

from db.games import GameFilter
from puzzlegen.cli.options import bounds


class Result(StrEnum):
    """How a game ended."""

    WHITE_WON = "1-0"
    BLACK_WON = "0-1"
    DRAWN = "1/2-1/2"


# A date as in PGN, of which the day, or the month and the day, may be missing.
_DATE = re.compile(r"\d{4}(\.(0[1-9]|1[0-2])(\.(0[1-9]|[12]\d|3[01]))?)?", re.ASCII)
_ECO = re.compile(r"[A-E]\d{0,2}", re.ASCII | re.IGNORECASE)


def game_filter(
    player: Annotated[
        str | None, typer.Option(metavar="NAME", help="Words of a player's name, in any order.")
    ] = None,
    white: Annotated[
        str | None, typer.Option(metavar="NAME", help="Part of the name of the player with White.")
    ] = None,
    black: Annotated[
        str | None, typer.Option(metavar="NAME", help="Part of the name of the player with Black.")
    ] = None,
    elo: Annotated[
        str | None, typer.Option(metavar="MIN-MAX", help="Elo of both players, such as 2500- or 1800-2200.")
    ] = None,
    date: Annotated[
        str | None,
        typer.Option(metavar="FROM..TO", help="Date of the game: 2013, 2013.05.. or 2010..2015."),
    ] = None,
    result: Annotated[Result | None, typer.Option(help="How the game ended.")] = None,
    eco: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="ECO code of the opening, or its beginning: B, B9, B90."),
    ] = None,
) -> GameFilter:
    """Return the filter that the options describe."""
    return GameFilter(
        player=player,
        white=white,
        black=black,
        elo=bounds(elo, "--elo"),
        date=date_bounds(date),
        result=result,
        eco=eco_beginning(eco),
    )


def date_bounds(text: str | None) -> tuple[str | None, str | None]:
    """Return the first and the last date of FROM..TO, FROM.., ..TO or a single date."""
    if text is None:
        return (None, None)
    first, dots, last = text.partition("..")
    if not dots:
        last = first
    given = [date for date in (first, last) if date]
    if not given or not all(map(_DATE.fullmatch, given)):
        raise _wrong(f"{text!r} is not FROM..TO with dates such as 2013, 2013.05 or 2013.05.31", "--date")
    if first and last and first[: len(last)] > last[: len(first)]:
        raise _wrong(f"{text!r} ends before it begins", "--date")
    return (first or None, last or None)


def eco_beginning(text: str | None) -> str | None:
    """Return an ECO code or its beginning, once it is checked."""
    if text is not None and not _ECO.fullmatch(text):
        raise _wrong(f"{text!r} is not an ECO code or its beginning, such as B90 or B9", "--eco")
    return text


def _wrong(why: str, option: str) -> typer.BadParameter:
    return typer.BadParameter(why, param_hint=option)
