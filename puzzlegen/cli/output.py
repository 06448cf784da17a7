"""What commands that write puzzles to a file have in common."""

from __future__ import annotations

import typer

from chess_motif.console import note
from chess_motif.errors import InputError
from chess_motif.output import STANDARD_OUTPUT
from chess_motif.text import counted
from puzzlegen.formats.exporting import ExportReport, Format, format_of


def format_named(file: str, parameter: str) -> Format:
    """Return the format that the name of a file implies; if it implies none, `parameter` is wrong."""
    try:
        return format_of(file)
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint=parameter) from error


def note_export(report: ExportReport, file: str) -> None:
    """Report how many puzzles were written to `file`, and how many its format cannot represent."""
    note(f"{counted(report.written, 'puzzle')} written" + ("" if file == STANDARD_OUTPUT else f" to {file}"))
    if report.left_out:
        note(f"{report.left_out} left out: this format needs the move before the puzzle, which is not known")
