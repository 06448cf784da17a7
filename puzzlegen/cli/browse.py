"""The commands that look at what is stored: `puzzlegen list`, `show`, `stats` and `tags`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from chess_motif.console import JsonOption, print_json, with_options
from chess_motif.tables import terminal_width
from db.puzzles import get_puzzle
from db.selection import Selection, count_selected, select_puzzles
from puzzlegen.cli.filters import note_unjudged
from puzzlegen.cli.options import DatabaseOption, EngineOption, PuzzleArgument, next_step, open_store
from puzzlegen.cli.selection import puzzle_selection
from puzzlegen.cli.text import list_text, puzzle_text, stats_text, tags_text
from puzzlegen.difficulty.attributes import TreeAttributes
from puzzlegen.difficulty.tree_text import attributes_text, tree_text
from puzzlegen.formats.jsonl import as_dict
from puzzlegen.upkeep.stats import count_store, count_tags
from puzzlegen.upkeep.trees import puzzle_tree

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
        attributes = TreeAttributes(puzzle_tree(store, puzzle, engine)) if tree else None
    if html is not None and attributes is not None:
        # Imported only here: the template engine is slow to load.
        from chess_motif.pages.html import write_page
        from puzzlegen.difficulty.tree_page import tree_page

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
