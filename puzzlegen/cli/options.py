"""Options that several commands of both programs share, and how they are used.

The options that select puzzles are in `puzzlegen.cli.filters`.
"""

from __future__ import annotations

import os
import random
from enum import Enum, StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from chess_motif.errors import InputError
from chess_motif.output import STANDARD_OUTPUT, note
from chess_motif.text import clean_name, counted, shell_word
from db.address import URL_VARIABLE, shown_address
from engines.options import EngineSetup
from puzzlegen.formats.entry import LARGEST_NUMBER
from puzzlegen.formats.exporting import MOST_CHAPTERS, ExportOptions, ExportReport, Format, format_of

# The kinds of game files, for help texts.
GAME_FILES = ".pgn, .pgn.zst, .pgn.gz, .pgn.bz2, or - for stdin"

# Seeds chosen by the program are below this, so that they are short enough to type.
_SEEDS = 10_000


class Side(StrEnum):
    """The colour of a player."""

    WHITE = "white"
    BLACK = "black"


class PerPage(Enum):
    """The number of diagrams on a page."""

    FOUR = "4"
    SIX = "6"
    NINE = "9"


PuzzleArgument = Annotated[
    str, typer.Argument(metavar="ID", help="Puzzle id: ours, or that of Lichess or another source")
]
GamesArgument = Annotated[list[str], typer.Argument(metavar="GAMES", help=GAME_FILES)]
ExportArgument = Annotated[str, typer.Argument(metavar="FILE", help="File to write, or - for stdout")]

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
IndexOption = Annotated[
    Path | None,
    typer.Option("--index", metavar="DIR", help="Folder of the search index. Default: beside the database."),
]
EngineOption = Annotated[
    str | None,
    typer.Option("--engine", metavar="PATH", help="UCI engine. Default: Stockfish, if it is installed."),
]
EngineOptionsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--engine-option",
        metavar="NAME=VALUE",
        help="UCI option of the engine, such as Hash=64, EvalFile=PATH or SyzygyPath=DIR; may be repeated.",
    ),
]
# More than any computer has cores.
MOST_WORKERS = 1024

WorkersOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_WORKERS,
        help="Number of engines that search in parallel.",
        show_default="one per core",
    ),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Use the workers of a Dask scheduler, such as tcp://host:8786. Paths, of an engine or an index, "
        "are then paths on the workers.",
    ),
]
PlayerOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="Words of a player's name, in any order.")
]
RandomOption = Annotated[
    int | None, typer.Option("--random", min=1, metavar="N", help="Only a random sample of N puzzles.")
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        help="Seed of the random sample; the same seed gives the same sample.", show_default="random"
    ),
]
CountOption = Annotated[int, typer.Option("-k", min=1, metavar="N", help="Number of results.")]
RestartOption = Annotated[bool, typer.Option("--restart", help="Start again from the first game.")]
HtmlOption = Annotated[Path | None, typer.Option("--html", metavar="OUT", help="Also write a web page.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
FormatOption = Annotated[
    Format | None,
    typer.Option(
        "--format",
        help="Format. Default: from the file's name. A study is a PGN file for Lichess: each game begins "
        f"with the opponent's move, and after {MOST_CHAPTERS} puzzles, the most that a study can have, "
        "another file follows.",
    ),
]


def chosen_engine(engine: EngineOption = None, engine_option: EngineOptionsOption = None) -> EngineSetup:
    """Return the engine to start, with its options."""
    options = []
    for text in engine_option or ():
        name, equals, value = text.partition("=")
        if not (name.strip() and equals):
            raise typer.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="--engine-option")
        options.append((name.strip(), value.strip()))
    return EngineSetup(engine, tuple(options))


def cleaned(name: str | None) -> str | None:
    """Return a name from the command line in the form in which names are stored."""
    return None if name is None else clean_name(name)


def at_most(things: str) -> Any:
    """Return the option `--limit` for some `things`, such as puzzles."""
    return typer.Option("--limit", min=1, metavar="N", help=f"At most N {things}.")


def worker_count(workers: int | None, cluster: str | None = None) -> int:
    """Return the number of workers on this computer: the user's, or else one per core.

    Raises `typer.BadParameter` if there is a cluster, which has its own workers.
    """
    if cluster is not None and workers is not None:
        raise typer.BadParameter(
            "cannot be used with --cluster, which has its own workers", param_hint="--workers"
        )
    return workers or os.cpu_count() or 1


def next_step(*words: str, db: str | None, index: Path | None = None) -> str:
    """Return `Next:` and a command that can be pasted, though without the password of a database.

    The database and the index of this command are repeated, unless they are the default ones.
    """
    command = list(words)
    if db is not None and db != os.environ.get(URL_VARIABLE):
        command += ["--db", shown_address(db)]
    if index is not None:
        command += ["--index", str(index)]
    return f"Next: {' '.join(map(shell_word, command))}"


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


def sample_seed(seed: int | None, sample: int | None) -> int:
    """Return the seed of a random sample: the user's, or else a new one, which is reported."""
    if sample is None:
        if seed is not None:
            raise typer.BadParameter("needs --random", param_hint="--seed")
        return 0
    if seed is None:
        seed = random.randrange(_SEEDS)
        note(f"random sample; --seed {seed} selects the same puzzles again")
    return seed


# The formats that have each option.
_USED_BY = {
    "--title": (Format.PDF, Format.HTML, Format.APKG, Format.PGN, Format.STUDY),
    "--for": (Format.PDF, Format.HTML),
    "--per-page": (Format.PDF,),
}


PerPageOption = Annotated[
    PerPage | None, typer.Option("--per-page", help="Diagrams on a page of a .pdf file. Default: 6.")
]


def export_options(
    file: str,
    file_format: Format | None = None,
    title: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Title of a .pdf or .html file, name of an Anki deck, or event of the games of a .pgn file.",
        ),
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option(
            "--for", metavar="NAME", help="Name of the solver on a .pdf or .html file.", callback=cleaned
        ),
    ] = None,
    per_page: PerPageOption = None,
) -> tuple[Format, ExportOptions]:
    """Return the format of a file, and the options for it."""
    file_format = file_format or format_named(file, "FILE")
    for option, value in {
        "--title": title,
        "--for": solver,
        "--per-page": per_page,
    }.items():
        if value and file_format not in _USED_BY[option]:
            files = (used for used in _USED_BY[option] if used is not Format.STUDY)
            names = " or ".join(f".{used.value}" for used in files)
            raise typer.BadParameter(f"only for {names}", param_hint=option)
    if file_format is Format.STUDY and file == STANDARD_OUTPUT:
        raise typer.BadParameter("a study needs a file: it may be split into several", param_hint="--format")
    diagrams = ExportOptions.per_page if per_page is None else int(per_page.value)
    return file_format, ExportOptions(title or ExportOptions.title, solver or "", diagrams)


def format_named(file: str, parameter: str) -> Format:
    """Return the format implied by the name of a file. Raises `typer.BadParameter` for `parameter`."""
    try:
        return format_of(file)
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint=parameter) from error


def note_export(report: ExportReport) -> None:
    """Report how many puzzles were written, where, and how many the format cannot represent."""
    files = [file for file in report.files if file != STANDARD_OUTPUT]
    deleted = f", {report.deleted} deleted" if report.deleted else ""
    place = f" to {', '.join(files)}" if files else ""
    note(f"{counted(report.written, 'puzzle')} written{deleted}{place}")
    if report.left_out:
        note(f"{report.left_out} left out: an exercise, or no move of the opponent's before it")
