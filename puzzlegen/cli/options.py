"""Options that several commands have."""

from __future__ import annotations

import os
import random
import shlex
from pathlib import Path
from typing import Annotated

import typer

from chess_motif.console import note
from db.store import URL_VARIABLE, Store
from puzzlegen.formats.facts import LARGEST_NUMBER

DatabaseOption = Annotated[
    str | None,
    typer.Option(
        "--db",
        envvar=URL_VARIABLE,
        metavar="URL",
        help="Database: a SQLite file or a PostgreSQL URL. Default: a file in your data directory.",
        show_default=False,
    ),
]
EngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine", metavar="PATH", help="UCI engine. Default: Stockfish, wherever it is installed."
    ),
]
PuzzleArgument = Annotated[str, typer.Argument(metavar="ID", help="Id of a puzzle, ours or its source's")]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Games or puzzles searched at a time, each by its own engine.",
        show_default="one per core",
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        help="Seed of the random sample: the same one selects the same puzzles.", show_default="random"
    ),
]

MemoryOption = Annotated[
    Path, typer.Option("--memory", metavar="FILE", help="Packed file, see memory pack.", show_default=False)
]

# Seeds that are chosen for the user are below this: short enough to type.
_SEEDS = 10_000


def chosen_seed(seed: int | None) -> int:
    """Return the seed that the user gave, or else a new one, which is reported."""
    if seed is None:
        seed = random.randrange(_SEEDS)
        note(f"random sample; --seed {seed} selects the same puzzles again")
    return seed


def open_store(url: str | None) -> Store:
    """Open the database that the user named, or the default one."""
    return Store(url)


def next_step(*words: str, db: str | None, index: Path | None = None) -> str:
    """Return `Next:` and a command that can be pasted.

    The command gets the database and the index that this one was given, unless they are the default ones.
    """
    command = list(words)
    if db is not None and db != os.environ.get(URL_VARIABLE):
        command += ["--db", db]
    if index is not None:
        command += ["--index", str(index)]
    return f"Next: {shlex.join(command)}"


def bounds(text: str | None, option: str) -> tuple[int | None, int | None]:
    """Return the bounds given as MIN-MAX, MIN-, -MAX or a single number; `option` is named in errors."""
    if text is None:
        return (None, None)
    lowest, dash, highest = text.partition("-")
    try:
        low = int(lowest) if lowest else None
        high = int(highest) if highest else (None if dash else low)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not MIN-MAX", param_hint=option) from error
    if max(low or 0, high or 0) > LARGEST_NUMBER:
        raise typer.BadParameter(f"{text!r} has a number above {LARGEST_NUMBER:,}", param_hint=option)
    if low is not None and high is not None and low > high:
        raise typer.BadParameter(f"{text!r} has its larger number first", param_hint=option)
    return (low, high)
