"""The filters of `positions similar` as options: which games are wanted."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated

import typer

from chess_motif.errors import InputError
from chess_motif.material import parse_material


class Result(StrEnum):
    """How a game ended."""

    WHITE_WON = "1-0"
    BLACK_WON = "0-1"
    DRAWN = "1/2-1/2"


# What stands for the material of the query.
SAME = "same"

WhiteOption = Annotated[
    str | None, typer.Option("--white", metavar="NAME", help="Part of the name of who played White.")
]
BlackOption = Annotated[
    str | None, typer.Option("--black", metavar="NAME", help="Part of the name of who played Black.")
]
EloOption = Annotated[
    str | None,
    typer.Option("--elo", metavar="MIN-MAX", help="Elo of both players, such as 2500- or 1800-2200."),
]
DateOption = Annotated[
    str | None,
    typer.Option("--date", metavar="FROM..TO", help="Replay then, such as 2013, 2010..2015 or 2013.05.. ."),
]
ResultOption = Annotated[Result | None, typer.Option("--result", help="How the game ended.")]
EcoOption = Annotated[
    str | None, typer.Option("--eco", metavar="CODE", help="Opening's code or its beginning: B, B9, B90.")
]
MaterialOption = Annotated[
    str | None,
    typer.Option(
        "--material",
        metavar="PIECES",
        help=f"Pieces in the position, White's first, such as KRPP-KBP; '{SAME}': those of the query.",
    ),
]

# A date as in PGN, which may be cut after the year or the month.
_DATE = re.compile(r"\d{4}(\.(0[1-9]|1[0-2])(\.(0[1-9]|[12]\d|3[01]))?)?", re.ASCII)
_ECO = re.compile(r"[A-E]\d{0,2}", re.ASCII | re.IGNORECASE)


def date_bounds(text: str | None) -> tuple[str | None, str | None]:
    """Return the dates of FROM..TO, FROM.., ..TO, or twice a single one."""
    if text is None:
        return (None, None)
    first, dots, last = text.partition("..")
    if not dots:
        last = first
    given = [date for date in (first, last) if date]
    if not given or not all(map(_DATE.fullmatch, given)):
        raise _wrong(f"{text!r} is not FROM..TO, each a date such as 2013, 2013.05 or 2013.05.31", "--date")
    if first and last and first > last[: len(first)]:
        raise _wrong(f"{text!r} ends before it begins", "--date")
    return (first or None, last or None)


def eco_beginning(text: str | None) -> str | None:
    """Return an opening's code, or its beginning."""
    if text is not None and not _ECO.fullmatch(text):
        raise _wrong(f"{text!r} is not an ECO code or its beginning, such as B90 or B9", "--eco")
    return text


def material_named(text: str | None) -> str | None:
    """Return the pieces that are asked for, or `SAME`."""
    if text is None or text.lower() == SAME:
        return text and SAME
    try:
        return parse_material(text)
    except InputError as error:
        raise _wrong(str(error), "--material") from error


def _wrong(why: str, option: str) -> typer.BadParameter:
    return typer.BadParameter(why, param_hint=option)
