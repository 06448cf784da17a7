"""The commands `motifsearch similar` and `motifsearch index`."""

from __future__ import annotations

import shutil
from typing import Annotated

import typer

from chess_motif.console import JsonOption, print_json, with_options
from motifsearch.cli.options import HtmlOption, IndexOption
from motifsearch.cli.search_filters import search_filters
from motifsearch.puzzles.filters import PuzzleFilters
from motifsearch.puzzles.index import sync_puzzles
from motifsearch.puzzles.ranking import By
from motifsearch.puzzles.searcher import DEFAULT_COUNT, PuzzleSearcher, record_shown
from motifsearch.terms import Mode
from motifsearch.views.puzzle_json import similar_document
from motifsearch.views.puzzle_text import index_text, similar_text
from puzzlegen.cli.filters import note_unjudged
from puzzlegen.cli.options import DatabaseOption, EngineOption, open_store

ModeOption = Annotated[
    Mode, typer.Option("--mode", help="Terms and weights: our own, or those of the paper.")
]


@with_options(filters=search_filters)
def similar_command(
    puzzle: Annotated[
        str, typer.Argument(metavar="ID|FEN", help="A stored puzzle, or a position, in quotes")
    ],
    moves: Annotated[
        str | None,
        typer.Option(
            metavar='"UCI …"', help="Solution of the position, solver first. Default: the engine finds it."
        ),
    ] = None,
    by: Annotated[
        By, typer.Option(help="What is compared: the solution, the position, or both.")
    ] = By.COMBINED,
    mode: ModeOption = Mode.DEFAULT,
    k: Annotated[int, typer.Option("-k", min=1, metavar="N", help="Number of results.")] = DEFAULT_COUNT,
    why: Annotated[
        bool, typer.Option("--why", help="Say what the solutions share, and list the terms that matched.")
    ] = False,
    *,
    filters: PuzzleFilters,
    html: HtmlOption = None,
    engine: EngineOption = None,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Find puzzles with the same motif as a stored puzzle or a position."""
    if moves is not None and "/" not in puzzle:
        raise typer.BadParameter("only for a FEN; a stored puzzle has its own solution", param_hint="--moves")
    # Imported only here: it loads the progress bar.
    from chess_motif.terminal import TerminalProgress

    with open_store(db) as store, TerminalProgress() as progress:
        with PuzzleSearcher(store, mode, index, progress) as searcher:
            query = searcher.query(puzzle, moves, engine)
            hits = searcher.similar(query, by=by, k=k, why=why, filters=filters)
        note_unjudged(store, filters.puzzles)
        if filters.puzzles.new_to is not None:
            record_shown(store, filters.puzzles.new_to, hits)
    if html is not None:
        # Imported only here: the template engine is slow to load.
        from motifsearch.views.html import write_page
        from motifsearch.views.puzzle_page import similar_page

        write_page(html, similar_page(query, hits, by, mode))
    if json:
        print_json(similar_document(query, hits, by, mode, why))
        return
    print(similar_text(query, hits, shutil.get_terminal_size().columns))
    if html is not None:
        print(f"\nWritten to {html}")
    print(f"\nNext: puzzlegen show {hits[0].puzzle.id}" if hits else "\nNext: puzzlegen list")


def index_command(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Rebuild the index from scratch.")] = False,
    mode: ModeOption = Mode.DEFAULT,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Update the search index now, instead of at the next search."""
    # Imported only here: it loads the progress bar.
    from chess_motif.terminal import TerminalProgress

    with open_store(db) as store, TerminalProgress() as progress:
        _, report = sync_puzzles(store, mode, index, rebuild=rebuild, progress=progress)
    if json:
        print_json(report.as_dict())
        return
    print(index_text(report))
