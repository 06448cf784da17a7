"""The commands `motifsearch similar` and `motifsearch index`.

The options that say which puzzles `motifsearch similar` may find.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from chess_motif.console import JsonOption, print_json, with_options
from chess_motif.text import did_you_mean
from db.puzzles import PuzzleFilter, all_shown, find_puzzles
from motifsearch.cli.options import HtmlOption, IndexOption
from motifsearch.puzzles.index import sync_puzzles
from motifsearch.puzzles.query import PuzzleFilters, Than, is_fen
from motifsearch.puzzles.ranking import By
from motifsearch.puzzles.searcher import DEFAULT_COUNT, PuzzleHit, PuzzleSearcher, record_shown
from motifsearch.terms.encoding import encoding_named
from motifsearch.views.puzzles import PuzzleSearch, index_text, similar_document, similar_text
from puzzlegen.cli.filters import note_unjudged, puzzle_filter
from puzzlegen.cli.options import DatabaseOption, EngineOption, bounds, next_step, open_store


@with_options(puzzles=puzzle_filter)
def search_filters(
    *,
    puzzles: PuzzleFilter,
    pieces: Annotated[
        str | None,
        typer.Option(metavar="MIN-MAX", help="Pieces on the board, such as -12 for endgames."),
    ] = None,
    other_games: Annotated[
        bool, typer.Option("--other-games", help="Leave out puzzles from the query's own game.")
    ] = False,
    new_to: Annotated[
        str | None,
        typer.Option(
            "--new-to", metavar="NAME", help="Leave out puzzles that earlier searches have shown to NAME."
        ),
    ] = None,
    new: Annotated[
        bool, typer.Option("--new", help="The NAME of --new-to is a new one, not a misspelt one.")
    ] = False,
    easier: Annotated[
        bool, typer.Option("--easier", help="Only puzzles clearly easier than the query.")
    ] = False,
    harder: Annotated[
        bool, typer.Option("--harder", help="Only puzzles clearly harder than the query.")
    ] = False,
    duplicates: Annotated[
        bool, typer.Option("--duplicates", help="Do not leave out nearly identical positions.")
    ] = False,
    db: DatabaseOption = None,
) -> PuzzleFilters:
    """Return the filters that the options of a command ask for.

    Names, tags and sources are looked up in the database `db`.
    """
    if new and new_to is None:
        raise typer.BadParameter("needs --new-to", param_hint="--new")
    if new_to is not None and not new:
        _check_name(new_to, db)
    if easier and harder:
        raise typer.BadParameter("cannot be used with --easier", param_hint="--harder")
    return PuzzleFilters(
        replace(puzzles, new_to=new_to),
        bounds(pieces, "--pieces"),
        other_games,
        duplicates,
        Than.EASIER if easier else Than.HARDER if harder else None,
    )


def _check_name(name: str, db: str | None) -> None:
    with open_store(db) as store, store.reading() as session:
        known = [shown.name for shown in all_shown(session)]
    if name not in known:
        suggestion = did_you_mean(name, known) or "."
        raise typer.BadParameter(
            f"{name!r} was shown no puzzles yet{suggestion} Add --new if the name is new",
            param_hint="--new-to",
        )


class Mode(StrEnum):
    """The names of the encodings."""

    DEFAULT = "default"
    PAPER = "paper"


ModeOption = Annotated[
    Mode, typer.Option("--mode", help="Terms and weights: our own, or those of the paper.")
]


@with_options(filters=search_filters)
def similar_command(
    puzzle: Annotated[
        str,
        typer.Argument(
            metavar="ID|URL|FEN",
            help="A stored puzzle, its address on Lichess, or that of its game; or a position, in quotes",
        ),
    ],
    moves: Annotated[
        str | None,
        typer.Option(
            metavar='"MOVES"',
            help="Solution of the position in SAN or UCI, solver first. Default: the engine finds it.",
        ),
    ] = None,
    by: Annotated[
        By, typer.Option(help="What is compared: the solution, the position, or both.")
    ] = By.COMBINED,
    mode: ModeOption = Mode.DEFAULT,
    k: Annotated[int, typer.Option("-k", min=1, metavar="N", help="Number of results.")] = DEFAULT_COUNT,
    why: Annotated[
        bool,
        typer.Option(
            "--why",
            help="Say what the solutions share, and which of the query's reasons make each one work. The "
            "page draws the reasons; page and JSON also list the terms that matched.",
        ),
    ] = False,
    *,
    filters: PuzzleFilters,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Also write the puzzles found: .csv, .pgn, .epd, .jsonl, .apkg (Anki), .pdf or .html (to "
            "solve them on).",
        ),
    ] = None,
    html: HtmlOption = None,
    engine: EngineOption = None,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Find puzzles with the same motif as a stored puzzle or a position."""
    if moves is not None and not is_fen(puzzle):
        raise typer.BadParameter("only for a FEN; a stored puzzle has its own solution", param_hint="--moves")
    if out is not None:
        # Imported only here: most searches write no puzzles.
        from puzzlegen.cli.options import format_named

        format_named(out, "--out")
    # Imported only here: it loads the progress bar.
    from chess_motif.progress import TerminalProgress

    with open_store(db) as store, TerminalProgress() as progress:
        with PuzzleSearcher(store, mode, index, progress) as searcher:
            query = searcher.query(puzzle, moves, engine)
            hits = searcher.similar(query, by=by, k=k, why=why, filters=filters)
        search = PuzzleSearch(query, by, searcher.encoding, hits, why)
        if len(hits) < k:
            note_unjudged(store, filters.puzzles)
        if out is not None:
            _write_puzzles(out, hits)
        if html is not None:
            _write_page(html, search)
        # Only now: what could not be written was not shown.
        if filters.puzzles.new_to is not None:
            record_shown(store, filters.puzzles.new_to, hits)
    if json:
        print_json(similar_document(search))
        return
    print(similar_text(search, shutil.get_terminal_size().columns))
    if html is not None:
        print(f"\nWritten to {html}")
    if hits:
        print(f"\n{next_step('puzzlegen', 'show', hits[0].puzzle.id, db=db)}")


def _write_puzzles(file: str, hits: Sequence[PuzzleHit]) -> None:
    from puzzlegen.cli.options import note_export
    from puzzlegen.formats.exporting import write_puzzles

    note_export(write_puzzles(file, [hit.puzzle for hit in hits]))


def _write_page(file: Path, search: PuzzleSearch) -> None:
    # Imported only here: the template engine is slow to load.
    from chess_motif.pages import write_page
    from motifsearch.views.puzzles import similar_page

    write_page(file, similar_page(search))


def index_command(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Rebuild the index from scratch.")] = False,
    mode: ModeOption = Mode.DEFAULT,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Update the search index now, instead of at the next search."""
    # Imported only here: it loads the progress bar.
    from chess_motif.progress import TerminalProgress

    with open_store(db) as store, TerminalProgress() as progress:
        _, report = sync_puzzles(store, encoding_named(mode), index, rebuild=rebuild, progress=progress)
        with store.reading() as session:
            example = next(find_puzzles(session, limit=1), None)
    if json:
        print_json(report.as_dict())
        return
    print(index_text(report))
    if example is not None:
        print(f"\n{next_step('motifsearch', 'similar', example.id, db=db, index=index)}")
