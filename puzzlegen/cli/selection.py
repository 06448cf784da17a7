"""The options that say which puzzles a command shows or writes, and in which order."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from chess_motif.console import with_options
from chess_motif.errors import InputError, reason_of
from db.puzzles import PuzzleFilter
from db.selection import Selection, Sort
from puzzlegen.cli.filters import KindOption, KindWanted, puzzle_filter
from puzzlegen.cli.options import SeedOption, chosen_seed
from puzzlegen.games.archive import STANDARD_INPUT

IdsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="ID", help="Ids of puzzles, ours or their source's", show_default=False),
]
IdsOption = Annotated[
    str | None,
    typer.Option(
        "--ids",
        metavar="FILE",
        help="A file of ids (-: standard input), separated by spaces or lines; JSON strings will do.",
    ),
]

# An id in a list of ids, which may be JSON.
_ID = re.compile(r'[^\s",\[\]]+')


@with_options(filters=puzzle_filter)
def puzzle_selection(
    puzzle_ids: IdsArgument = None,
    ids: IdsOption = None,
    *,
    filters: PuzzleFilter,
    kind: KindOption = None,
    sort: Annotated[
        Sort | None,
        typer.Option(help="Lowest, shortest or earliest first; what has no such value comes last."),
    ] = None,
    reverse: Annotated[bool, typer.Option("--reverse", help="Highest, longest or latest first.")] = False,
    random: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only a random sample of N puzzles.")
    ] = None,
    seed: SeedOption = None,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="At most N puzzles.")] = None,
) -> Selection:
    """Return the selection that the options of a command ask for."""
    if reverse and sort is None:
        raise typer.BadParameter("needs --sort", param_hint="--reverse")
    if seed is not None and random is None:
        raise typer.BadParameter("needs --random", param_hint="--seed")
    names = given_ids(puzzle_ids, ids)
    kind = kind or (KindWanted.PUZZLE if names is None else KindWanted.ANY)
    return Selection(
        replace(filters, kind=kind.kind),
        names=names,
        sample=random,
        seed=0 if random is None else chosen_seed(seed),
        sort=sort,
        reverse=reverse,
        limit=limit,
    )


def given_ids(arguments: list[str] | None, file: str | None) -> tuple[str, ...] | None:
    """Return the ids given as arguments and in a file (`-`: standard input), None if there are neither.

    Raises `InputError` if the file cannot be read.
    """
    if not arguments and file is None:
        return None
    listed = [] if file is None else _ID.findall(_text_of(file))
    return (*(arguments or ()), *listed)


def _text_of(file: str) -> str:
    try:
        if file == STANDARD_INPUT:
            return sys.stdin.buffer.read().decode("utf-8", errors="replace")
        return Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {reason_of(error)}") from error
