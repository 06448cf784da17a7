"""The commands `puzzlegen import` and `puzzlegen export`."""

from __future__ import annotations

from typing import Annotated

import typer

from chess_motif.console import JsonOption, note, print_json, with_options
from chess_motif.errors import InputError
from chess_motif.output import STANDARD_OUTPUT
from chess_motif.terminal import TerminalProgress
from db.puzzles import PuzzleFilter
from puzzlegen.cli.filters import note_unjudged, puzzle_filter
from puzzlegen.cli.options import DatabaseOption, open_store
from puzzlegen.cli.text import import_text
from puzzlegen.formats.exporting import Format, export_puzzles
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
    if report.damage:
        raise InputError(report.damage)


@with_options(filters=puzzle_filter)
def export_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File to write, or - for stdout")],
    kind: Annotated[
        Format | None, typer.Option("--format", help="Format. Default: from the file's name.")
    ] = None,
    *,
    filters: PuzzleFilter,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="At most N puzzles.")] = None,
    db: DatabaseOption = None,
) -> None:
    """Write puzzles to a file: Lichess CSV, PGN, EPD or JSON lines."""
    with open_store(db) as store:
        report = export_puzzles(file, store, kind, filters=filters, limit=limit)
        note_unjudged(store, filters)
    note(f"{report.written} puzzles written" + ("" if file == STANDARD_OUTPUT else f" to {file}"))
    if report.left_out:
        note(f"{report.left_out} left out: this format needs the move before the puzzle, which is not known")
