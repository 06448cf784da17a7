"""What commands that write puzzles to a file have in common."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from chess_motif.console import note
from chess_motif.errors import InputError
from chess_motif.output import STANDARD_OUTPUT
from chess_motif.text import counted
from puzzlegen.formats.exporting import (
    MOST_CHAPTERS,
    ExportOptions,
    ExportReport,
    Format,
    format_of,
)

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
