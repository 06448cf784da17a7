"""The commands `motifsearch shown list` and `forget`: who was shown which puzzles (`similar --new-to`)."""

from __future__ import annotations

from typing import Annotated

import typer

from chess_motif.console import JsonOption, print_json
from chess_motif.tables import table
from db.puzzles import all_shown
from motifsearch.puzzles.searcher import forget_shown
from puzzlegen.cli.options import DatabaseOption, open_store

app = typer.Typer(help="Lists or forgets what was shown to whom (similar --new-to).", no_args_is_help=True)


@app.command("list")
def list_command(db: DatabaseOption = None, json: JsonOption = False) -> None:
    """List the names given to `similar --new-to`, with the number of puzzles shown to each."""
    with open_store(db) as store, store.reading() as session:
        shown = all_shown(session)
    if json:
        print_json([{**row._asdict(), "last": f"{row.last:%Y-%m-%d}"} for row in shown])
        return
    if not shown:
        print("Nobody was shown puzzles yet: 'similar ID --new-to NAME --new' records what it shows.")
        return
    rows = [[row.name, f"{row.puzzles:,}", f"{row.last:%Y-%m-%d}"] for row in shown]
    print(table(["name", "puzzles", "last"], rows, right="lr"))


@app.command("forget")
def forget_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name given to similar --new-to")],
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Forget what was shown to a name: all puzzles are new to it again."""
    with open_store(db) as store:
        forgotten = forget_shown(store, name)
    if json:
        print_json({"name": name, "forgotten": forgotten})
        return
    print(f"Puzzles shown to {name} and now forgotten: {forgotten:,}")
