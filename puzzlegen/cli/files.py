"""The commands `puzzlegen import` and `puzzlegen export`."""

from __future__ import annotations

from typing import Annotated

import typer

from chess_motif.console import JsonOption, print_json, with_options
from chess_motif.errors import InputError
from chess_motif.output import STANDARD_OUTPUT
from chess_motif.terminal import TerminalProgress
from db.selection import Selection, select_puzzles
from puzzlegen.cli.filters import note_unjudged
from puzzlegen.cli.options import DatabaseOption, next_step, open_store
from puzzlegen.cli.output import format_named, note_export
from puzzlegen.cli.selection import puzzle_selection
from puzzlegen.cli.text import import_text
from puzzlegen.formats.exporting import Format, write_puzzles
from puzzlegen.formats.importing import import_puzzles


def import_command(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Lichess puzzle CSV, EPD, PGN with set-up positions, or JSON lines; may be compressed",
        ),
    ],
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Store the puzzles of a file."""
    with open_store(db) as store, TerminalProgress() as progress:
        report = import_puzzles(file, store, progress)
    if json:
        print_json(vars(report))
    else:
        print(import_text(report))
        if report.stored or report.known:
            print(f"\n{next_step('motifsearch', 'index', db=db)}")
    if report.damage:
        raise InputError(report.damage)


@with_options(selection=puzzle_selection)
def export_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File to write, or - for stdout")],
    file_format: Annotated[
        Format | None, typer.Option("--format", help="Format. Default: from the file's name.")
    ] = None,
    *,
    selection: Selection,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Write puzzles to a file: Lichess CSV, PGN, EPD or JSON lines."""
    if json and file == STANDARD_OUTPUT:
        raise typer.BadParameter("cannot be used with -, where the puzzles go", param_hint="--json")
    file_format = file_format or format_named(file, "FILE")
    with open_store(db) as store:
        with store.reading() as session:
            report = write_puzzles(file, select_puzzles(session, selection), file_format)
        note_unjudged(store, selection.filters, selection.names)
    if json:
        print_json({"file": file, **vars(report)})
    else:
        note_export(report, file)
