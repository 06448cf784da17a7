"""The commands `puzzlegen import` and `puzzlegen export`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from chess_motif.console import JsonOption, note, print_json, with_options
from chess_motif.errors import InputError
from chess_motif.output import STANDARD_OUTPUT
from chess_motif.terminal import TerminalProgress
from db.puzzles import newest_run
from db.selection import Selection, select_puzzles
from puzzlegen.cli.filters import note_unjudged
from puzzlegen.cli.options import DatabaseOption, next_step, open_store
from puzzlegen.cli.output import FormatOption, export_options, note_export
from puzzlegen.cli.selection import puzzle_selection
from puzzlegen.cli.text import import_text
from puzzlegen.formats.exporting import ExportOptions, Format, write_puzzles
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


@with_options(chosen=export_options, selection=puzzle_selection)
def export_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File to write, or - for stdout")],
    file_format: FormatOption = None,
    *,
    chosen: tuple[Format, ExportOptions],
    selection: Selection,
    since: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="RUN",
            help="Only puzzles of mining runs after this number; `puzzlegen stats` shows the newest.",
        ),
    ] = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Write puzzles to a file: Lichess CSV, PGN, EPD, JSON lines, Anki deck, PDF to print, or web page.

    The puzzles are solved on the web page (.html), which needs no network.
    """
    if json and file == STANDARD_OUTPUT:
        raise typer.BadParameter("cannot be used with -, where the puzzles go", param_hint="--json")
    selection = replace(selection, filters=replace(selection.filters, since=since))
    file_format, options = chosen
    with open_store(db) as store:
        with store.reading() as session:
            newest = newest_run(session)
            report = write_puzzles(file, select_puzzles(session, selection), file_format, options)
        note_unjudged(store, selection.filters, selection.names)
    if json:
        print_json({"file": file, **vars(report), "newest_run": newest})
        return
    note_export(report)
    if since is not None:
        note(f"The newest run that has ended is {newest}: go on with --since {newest}")
