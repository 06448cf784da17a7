"""The commands that look at what is stored: `puzzlegen list`, `show` and `stats`."""

from __future__ import annotations

from typing import Annotated

import typer

from chess_motif.console import JsonOption, print_json, with_options
from db.puzzles import PuzzleFilter, count_puzzles, find_puzzles, get_puzzle
from puzzlegen.cli.filters import note_unjudged, puzzle_filter
from puzzlegen.cli.options import DatabaseOption, PuzzleArgument, open_store
from puzzlegen.cli.text import list_text, puzzle_text, stats_text
from puzzlegen.formats.jsonl import as_dict
from puzzlegen.upkeep.stats import count_store

# Puzzles that `list` shows unless it is given a limit.
LISTED = 20


@with_options(filters=puzzle_filter)
def list_command(
    filters: PuzzleFilter,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help=f"At most N puzzles ({LISTED} as text).")
    ] = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """List the puzzles in the database, one per line."""
    with open_store(db) as store, store.reading() as session:
        note_unjudged(store, filters)
        if json:
            print_json([as_dict(puzzle) for puzzle in find_puzzles(session, filters, limit)])
            return
        puzzles = list(find_puzzles(session, filters, limit or LISTED))
        total = count_puzzles(session, filters)
    if not puzzles:
        is_filtered = filters != PuzzleFilter()
        print(
            "No puzzle passes the filters." if is_filtered else "No puzzles yet. Next: puzzlegen mine GAMES"
        )
        return
    print(list_text(puzzles, total))


def show_command(
    puzzle_id: PuzzleArgument,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Show one puzzle with its board and solution."""
    with open_store(db) as store, store.reading() as session:
        puzzle = get_puzzle(session, puzzle_id)
    if json:
        print_json(as_dict(puzzle))
        return
    print(puzzle_text(puzzle))


def stats_command(db: DatabaseOption = None, json: JsonOption = False) -> None:
    """Count what is in the database."""
    with open_store(db) as store:
        stats = count_store(store)
        shown = store.shown
    if json:
        print_json(stats.as_dict())
        return
    print(stats_text(stats, shown))
