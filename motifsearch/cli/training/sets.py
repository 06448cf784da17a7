"""The commands `motifsearch sets list`, `show`, `export` and `delete`: training sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from chess_motif.console import JsonOption, print_json, with_options
from chess_motif.tables import terminal_width
from db.training.sets import SetEntry
from motifsearch.trainer.sets import entries_of, remove_set, set_statuses
from motifsearch.views.training.set_text import set_text, sets_text
from puzzlegen.cli.options import DatabaseOption, next_step, open_store
from puzzlegen.cli.output import FormatOption, export_options, note_export
from puzzlegen.formats.exporting import ExportOptions, Format, write_puzzles

app = typer.Typer(help="Lists, shows, exports or deletes training sets.", no_args_is_help=True)

SetArgument = Annotated[str, typer.Argument(metavar="SET", help="Name of a training set")]


@app.command("list")
def list_command(db: DatabaseOption = None, json: JsonOption = False) -> None:
    """List the training sets, with the number of puzzles that are due."""
    with open_store(db) as store:
        sets = set_statuses(store)
    if json:
        print_json([each.as_dict() for each in sets])
    elif sets:
        print(f"{sets_text(sets)}\n\n{next_step('motifsearch', 'solve', sets[0].summary.name, db=db)}")
    else:
        print("No training sets yet: 'motifsearch train GAMES --player NAME' makes one.")


@app.command("show")
def show_command(name: SetArgument, db: DatabaseOption = None, json: JsonOption = False) -> None:
    """Show the puzzles of a training set, and which of them are the missed chances themselves."""
    with open_store(db) as store:
        entries = entries_of(store, name)
    if json:
        print_json(_as_dicts(entries))
    else:
        print(f"{set_text(entries, terminal_width())}\n\n{next_step('motifsearch', 'solve', name, db=db)}")


@app.command("export")
@with_options(chosen=export_options)
def export_command(
    name: SetArgument,
    file: Annotated[str, typer.Argument(metavar="FILE", help="File to write, or - for stdout")],
    file_format: FormatOption = None,
    *,
    chosen: tuple[Format, ExportOptions],
    db: DatabaseOption = None,
) -> None:
    """Write the puzzles of a training set to a file, as `puzzlegen export` does.

    Its title is the name of the set, unless --title says otherwise.
    """
    file_format, options = chosen
    if options.title == ExportOptions.title:
        options = replace(options, title=name)
    with open_store(db) as store:
        entries = entries_of(store, name)
    note_export(write_puzzles(file, [entry.puzzle for entry in entries], file_format, options))


@app.command("delete")
def delete_command(
    name: SetArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    db: DatabaseOption = None,
) -> None:
    """Delete a training set; its puzzles, and what was solved, stay."""
    with open_store(db) as store:
        set_statuses(store, name)
        if not yes:
            typer.confirm(f"Delete the training set {name!r}?", abort=True, err=True)
        remove_set(store, name)
    print(f"Deleted the training set {name!r}")


def _as_dicts(entries: Sequence[SetEntry]) -> list[dict[str, object]]:
    """Return puzzles as JSON objects, with the id of the missed chance that each is there for."""
    # Imported only here: it loads the readers of puzzles.
    from puzzlegen.formats.jsonl import as_dict

    return [as_dict(entry.puzzle) | {"missed": entry.chance.puzzle_id} for entry in entries]
