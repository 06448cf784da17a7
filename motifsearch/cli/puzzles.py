"""The commands about similar puzzles: `motifsearch similar`, `index` and `report pairs`."""

from __future__ import annotations

import shutil
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from chess_motif.console import JsonOption, show, with_options
from chess_motif.output import note
from chess_motif.pages import write_page
from chess_motif.progress import TerminalProgress
from chess_motif.text import did_you_mean
from db.puzzles import PuzzleFilter, find_puzzles, shown_counts
from db.store import Store
from motifsearch.puzzles.index import sync_puzzles
from motifsearch.puzzles.searcher import PuzzleSearcher, record_shown
from motifsearch.search import DEFAULT_COUNT, By, SearchRequest, Than, is_fen
from motifsearch.show.similar import PuzzleSearch, index_text, similar_document, similar_page, similar_text
from puzzlegen.cli.filters import SortOption, common_filter, in_order, note_unjudged, sort_order
from puzzlegen.cli.options import (
    CountOption,
    DatabaseOption,
    EngineOption,
    HtmlOption,
    IndexOption,
    bounds,
    cleaned,
    format_named,
    next_step,
    note_export,
)
from puzzlegen.formats.exporting import write_puzzles


class Mode(StrEnum):
    """The names of the encodings."""

    DEFAULT = "default"
    PAPER = "paper"


report_app = typer.Typer(help="Measures how well searches work.", no_args_is_help=True)


@with_options(puzzles=common_filter)
def similar_command(
    puzzle: Annotated[
        str,
        typer.Argument(
            metavar="ID|URL|FEN|PGN",
            help="A stored puzzle, its address on Lichess or that of its game, or a position in quotes: a "
            "FEN, a game (its last position; with #12 at its end, that after 12 plies), or the address on "
            "Lichess of a game, a chapter of a study or an analysis",
        ),
    ],
    moves: Annotated[
        str | None,
        typer.Option(
            metavar='"MOVES"',
            help="Solution of the position in SAN or UCI, solver first. Default: the whole winning line, "
            "found by the engine.",
        ),
    ] = None,
    by: Annotated[
        By, typer.Option(help="What to compare: the solutions (dynamic), the positions (static), or both.")
    ] = By.COMBINED,
    mode: Annotated[
        Mode, typer.Option(help="Terms and weights: our own, or those of the published method (paper).")
    ] = Mode.DEFAULT,
    k: CountOption = DEFAULT_COUNT,
    why: Annotated[
        bool,
        typer.Option(
            "--why",
            help="Explain what the solutions have in common and why they work. JSON and the web page also "
            "list the terms that matched.",
        ),
    ] = False,
    rating: Annotated[
        str | None,
        typer.Option(
            metavar="MIN-MAX|easier|harder",
            help="Rating or estimated difficulty, such as 1200-1600, 1800- or -1400; 'easier' or 'harder' "
            "than the query by at least 100 points.",
        ),
    ] = None,
    *,
    puzzles: PuzzleFilter,
    new_to: Annotated[
        str | None,
        typer.Option(
            "--new-to",
            metavar="NAME",
            help="Leave out puzzles that earlier searches with this name have shown. NAME is a person or a "
            "group.",
            callback=cleaned,
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Also write the puzzles found: .csv, .pgn, .epd, .jsonl, .apkg (Anki), .pdf, or .html (a "
            "page to solve them on).",
        ),
    ] = None,
    sort: SortOption = None,
    ids: Annotated[
        bool, typer.Option("--ids", help="Print only the ids of the puzzles found, for other commands.")
    ] = False,
    html: HtmlOption = None,
    engine: EngineOption = None,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Find puzzles with the same motif as a stored puzzle or a position."""
    if moves is not None and not is_fen(puzzle):
        raise typer.BadParameter("only for a FEN; a stored puzzle has its own solution", param_hint="--moves")
    if ids and json:
        raise typer.BadParameter("cannot be used with --json", param_hint="--ids")
    if out is not None:
        format_named(out, "--out")
        sort_order(sort)
    elif sort is not None:
        raise typer.BadParameter("needs --out", param_hint="--sort")
    than_query = Than(rating) if rating in tuple(Than) else None
    filters = replace(puzzles, rating=bounds(None if than_query else rating, "--rating"), new_to=new_to)
    with Store(db, create=False) as store, TerminalProgress() as progress:
        if new_to is not None:
            with store.reading() as session:
                known = shown_counts(session)
            # The name may be misspelt.
            if new_to not in known:
                note(f"{new_to!r} is a new name{did_you_mean(new_to, known)}")
        with PuzzleSearcher(store, mode, index, progress) as searcher:
            query = searcher.query(puzzle, moves, engine)
            by = query.compared_by(by)
            request = SearchRequest(
                query, filters, by=by, k=k, why=why, student=new_to, than_query=than_query
            )
            hits = searcher.similar(request)
        search = PuzzleSearch(query, by, searcher.encoding, hits, why)
        if len(hits) < k:
            note_unjudged(store, filters)
        if out is not None:
            found = in_order([hit.puzzle for hit in hits], store, sort)
            note_export(write_puzzles(out, found))
        if html is not None:
            write_page(html, similar_page(search))
        # Only now, since puzzles that could not be written were not shown.
        if new_to is not None:
            record_shown(store, new_to, hits)

    if ids:
        for hit in hits:
            print(hit.puzzle.id)
        return

    def text() -> str:
        parts = [similar_text(search, shutil.get_terminal_size().columns)]
        if html is not None:
            parts.append(f"Written to {html}")
        if hits:
            parts.append(next_step("puzzlegen", "show", hits[0].puzzle.id, db=db))
        return "\n\n".join(parts)

    show(lambda: similar_document(search), text, json)


def index_command(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Rebuild the index from scratch.")] = False,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Update the search index now, instead of at the next search."""
    with Store(db, create=False) as store, TerminalProgress() as progress:
        _, report = sync_puzzles(store, directory=index, rebuild=rebuild, progress=progress)
        with store.reading() as session:
            example = next(find_puzzles(session, limit=1), None)

    def text() -> str:
        if example is None:
            return index_text(report)
        return (
            f"{index_text(report)}\n\n{next_step('motifsearch', 'similar', example.id, db=db, index=index)}"
        )

    show(report, text, json)


@report_app.command("pairs")
def pairs_command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Pairs of positions with solutions, .pgn or .csv")
    ],
    second: Annotated[
        Path | None, typer.Argument(metavar="SIMPLIFIED", help="The simplified positions, in the same order")
    ] = None,
    neighbours: Annotated[
        bool, typer.Option("--neighbours", help="Pair neighbouring positions, the base first.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Only list the pairs and the entries left over.")
    ] = False,
    html: HtmlOption = None,
    json: JsonOption = False,
) -> None:
    """Measure how often a search for a position finds its simplified partner."""
    # Imported only here: a search does not read pairs.
    from motifsearch.puzzles.pair_files import read_pairs
    from motifsearch.puzzles.pairs import measure_pairs
    from motifsearch.show.pairs import check_text, pairs_page, pairs_text

    pairs = read_pairs(file, second, neighbours=neighbours)
    if check:
        show(pairs, lambda: check_text(pairs), json)
        return
    for skipped in pairs.skipped:
        note(f"{file}: {skipped}")
    with TerminalProgress() as progress:
        measured = measure_pairs(pairs, progress=progress)
    if html is not None:
        write_page(html, pairs_page(measured))
        step = f"Written to {html}"
    else:
        step = next_step("motifsearch", "report", "pairs", str(file), "--html", "pairs.html", db=None)
    show(measured, lambda: f"{pairs_text(measured)}\n{step}", json)
