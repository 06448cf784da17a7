"""What commands that write puzzles to a file have in common.

Options that several commands have.
"""

from __future__ import annotations

import os
import random
import shlex
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from chess_motif.errors import InputError
from chess_motif.output import STANDARD_OUTPUT, note
from chess_motif.text import counted
from db.store import URL_VARIABLE, Store
from puzzlegen.formats.entry import LARGEST_NUMBER
from puzzlegen.formats.exporting import MOST_CHAPTERS, ExportOptions, ExportReport, Format, format_of

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


FormatOption = Annotated[
    Format | None, typer.Option("--format", help="Format. Default: from the file's name.")
]


class PerPage(Enum):
    """How many diagrams a page has."""

    FOUR = "4"
    SIX = "6"
    NINE = "9"


# The formats that have each option.
_USED_BY = {
    "--title": (Format.PDF, Format.HTML, Format.APKG),
    "--for": (Format.PDF, Format.HTML),
    "--per-page": (Format.PDF,),
    "--study": (Format.PGN,),
}


def export_options(
    file: str,
    file_format: Format | None = None,
    title: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Title of a .pdf or .html file, or name of an Anki deck."),
    ] = None,
    solver: Annotated[
        str | None, typer.Option("--for", metavar="NAME", help="Whom a .pdf or .html file is for.")
    ] = None,
    per_page: Annotated[
        PerPage | None, typer.Option("--per-page", help="Diagrams on a page of a .pdf file. Default: 6.")
    ] = None,
    study: Annotated[
        bool,
        typer.Option(
            "--study",
            help="A .pgn file for a Lichess study: each game begins with the opponent's move. More than "
            f"{MOST_CHAPTERS} puzzles become several files, because a study drops what is beyond its "
            f"{MOST_CHAPTERS} chapters.",
        ),
    ] = False,
) -> tuple[Format, ExportOptions]:
    """Return the format of a file, and what the options of a command ask for."""
    file_format = file_format or format_named(file, "FILE")
    given = {"--title": title, "--for": solver, "--per-page": per_page, "--study": study}
    for option, value in given.items():
        if value and file_format not in _USED_BY[option]:
            names = " or ".join(f".{used.value}" for used in _USED_BY[option])
            raise typer.BadParameter(f"only for {names}", param_hint=option)
    if study and file == STANDARD_OUTPUT:
        raise typer.BadParameter("needs a file: a study may be several", param_hint="--study")
    diagrams = ExportOptions.per_page if per_page is None else int(per_page.value)
    return file_format, ExportOptions(title or ExportOptions.title, solver or "", diagrams, study)


def format_named(file: str, parameter: str) -> Format:
    """Return the format that the name of a file implies; if it implies none, `parameter` is wrong."""
    try:
        return format_of(file)
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint=parameter) from error


def note_export(report: ExportReport) -> None:
    """Report how many puzzles were written, where, and how many the format cannot represent."""
    files = [file for file in report.files if file != STANDARD_OUTPUT]
    note(f"{counted(report.written, 'puzzle')} written" + (f" to {', '.join(files)}" if files else ""))
    if report.left_out:
        note(f"{report.left_out} left out: this format needs the move before the puzzle, which is not known")
