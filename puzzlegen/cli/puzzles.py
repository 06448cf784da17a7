"""The commands that look at what is stored: `puzzlegen list`, `show`, `stats` and `tags`.

The commands `puzzlegen import` and `puzzlegen export`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from chess_motif.console import JsonOption, print_json, with_options
from chess_motif.errors import InputError
from chess_motif.output import STANDARD_OUTPUT, note
from chess_motif.progress import TerminalProgress
from chess_motif.tables import terminal_width
from db.puzzles import get_puzzle, newest_run
from db.selection import Selection, count_selected, select_puzzles
from puzzlegen.cli.filters import note_unjudged, puzzle_selection
from puzzlegen.cli.options import (
    DatabaseOption,
    EngineOption,
    FormatOption,
    PuzzleArgument,
    export_options,
    next_step,
    note_export,
    open_store,
)
from puzzlegen.cli.text import import_text, list_text, puzzle_text, stats_text, tags_text
from puzzlegen.difficulty.attributes import stored_attributes
from puzzlegen.difficulty.views import attributes_text, tree_text
from puzzlegen.formats.exporting import ExportOptions, Format, write_puzzles
from puzzlegen.formats.importing import import_puzzles
from puzzlegen.formats.jsonl import as_dict
from puzzlegen.upkeep.stats import count_store, count_tags

# Columns that definitions of tags take at most.
MOST_COLUMNS = 120

# Puzzles that `list` shows as text by default.
LISTED = 20


@with_options(selection=puzzle_selection)
def list_command(
    *,
    selection: Selection,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """List the puzzles in the database, one per line.

    Without --limit, --random or ids, the text shows the first 20.
    """
    with open_store(db) as store, store.reading() as session:
        note_unjudged(store, selection.filters, selection.names)
        if json:
            print_json([as_dict(puzzle) for puzzle in select_puzzles(session, selection)])
            return
        if selection.limit is None and selection.sample is None and selection.names is None:
            selection = replace(selection, limit=LISTED)
        puzzles = list(select_puzzles(session, selection))
        total = count_selected(session, selection)
        is_empty = not count_selected(session, Selection())
    if puzzles:
        print(f"{list_text(puzzles, total, terminal_width())}\n")
        print(next_step("puzzlegen", "show", puzzles[0].id, db=db))
    elif is_empty:
        print("No puzzles yet: 'puzzlegen mine' finds them in games, 'puzzlegen import' reads them.")
    else:
        print("No puzzle passes the filters.")


def show_command(
    puzzle_id: PuzzleArgument,
    tree: Annotated[
        bool,
        typer.Option(
            "--tree", help="Also the tree of the moves that make sense to a person, from engine searches."
        ),
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="OUT", help="Also draw the tree on a web page.")
    ] = None,
    engine: EngineOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Show one puzzle with its board and solution."""
    if html is not None and not tree:
        raise typer.BadParameter("needs --tree", param_hint="--html")
    with open_store(db) as store:
        with store.reading() as session:
            puzzle = get_puzzle(session, puzzle_id)
        attributes = stored_attributes(store, puzzle, engine) if tree else None
    if html is not None and attributes is not None:
        # Imported only here: the template engine is slow to load.
        from chess_motif.pages import write_page
        from puzzlegen.difficulty.views import tree_page

        write_page(html, tree_page(puzzle.id, attributes, puzzle.moves()))
    if json:
        print_json(as_dict(puzzle) | ({} if attributes is None else {"tree": attributes.as_dict()}))
        return
    print(puzzle_text(puzzle))
    if attributes is not None:
        print(f"\n{tree_text(attributes.tree, puzzle.moves())}\n\n{attributes_text(attributes)}")
    if html is not None:
        print(f"\nWritten to {html}")
    print(f"\n{next_step('motifsearch', 'similar', puzzle.id, db=db)}")


def stats_command(db: DatabaseOption = None, json: JsonOption = False) -> None:
    """Count what is in the database."""
    with open_store(db) as store:
        stats = count_store(store)
        shown = store.shown
    if json:
        print_json(stats.as_dict())
        return
    print(stats_text(stats, shown))


def tags_command(db: DatabaseOption = None, json: JsonOption = False) -> None:
    """List all tags with their definitions, and how many puzzles in the database have them."""
    with open_store(db) as store:
        counts = count_tags(store)
    if json:
        print_json([count.as_dict() for count in counts])
        return
    print(tags_text(counts, min(terminal_width(), MOST_COLUMNS)))
    if any(count.puzzles for count in counts):
        most_frequent = max(counts, key=lambda count: count.puzzles).tag.name
        print(f"\n{next_step('puzzlegen', 'list', '--tag', most_frequent, db=db)}")


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
