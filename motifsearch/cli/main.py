"""The command `motifsearch`: arguments in, text, JSON or a page out."""

from __future__ import annotations

import shutil
from typing import Annotated

import typer

from chess_motif import console
from chess_motif.console import JsonOption, VersionOption, print_json
from chess_motif.tables import table
from db.puzzles import PuzzleFilter
from motifsearch.cli.options import EngineOption, HtmlOption, IndexOption
from motifsearch.cli.positions import app as positions_app
from motifsearch.cli.report import app as report_app
from motifsearch.puzzles.filters import PuzzleFilters
from motifsearch.puzzles.index import sync_puzzles
from motifsearch.puzzles.query import resolve
from motifsearch.puzzles.ranking import By
from motifsearch.puzzles.searcher import DEFAULT_COUNT, PuzzleSearcher, record_shown
from motifsearch.terms import Mode
from motifsearch.views.puzzle_json import similar_document
from motifsearch.views.puzzle_text import similar_text
from puzzlegen.cli.options import (
    AnyTagOption,
    DatabaseOption,
    EndsOption,
    GapOption,
    LengthOption,
    MenOption,
    NoTagOption,
    RatingOption,
    Side,
    SideOption,
    SoundOption,
    SourceOption,
    TagOption,
    bounds,
    open_store,
)

app = typer.Typer(
    help="Finds puzzles with the same motif.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(positions_app, name="positions")
app.add_typer(report_app, name="report")

ModeOption = Annotated[
    Mode, typer.Option("--mode", help="Terms and weights: measured best, or as published.")
]


@app.callback()
def common(version: VersionOption = False) -> None:
    """Finds puzzles with the same motif."""


@app.command("similar")
def similar_command(
    puzzle: Annotated[str, typer.Argument(metavar="ID|FEN", help="A stored puzzle, or a position")],
    moves: Annotated[
        str | None,
        typer.Option(metavar='"UCI …"', help="Solution of the position, solver first. Default: an engine's."),
    ] = None,
    by: Annotated[By, typer.Option(help="What decides: the solution, the position, or both.")] = By.COMBINED,
    mode: ModeOption = Mode.DEFAULT,
    k: Annotated[int, typer.Option("-k", min=1, metavar="N", help="How many puzzles.")] = DEFAULT_COUNT,
    why: Annotated[bool, typer.Option("--why", help="Say what they share, and which terms matched.")] = False,
    rating: RatingOption = None,
    tag: TagOption = None,
    any_tag: AnyTagOption = None,
    no_tag: NoTagOption = None,
    ends: EndsOption = None,
    side: SideOption = None,
    length: LengthOption = None,
    men: MenOption = None,
    gap: GapOption = None,
    source: SourceOption = None,
    sound: SoundOption = False,
    other_games: Annotated[
        bool, typer.Option("--other-games", help="Leave out puzzles from the query's own game.")
    ] = False,
    new_to: Annotated[
        str | None,
        typer.Option("--new-to", metavar="NAME", help="Leave out what such searches have shown to NAME."),
    ] = None,
    duplicates: Annotated[
        bool, typer.Option("--duplicates", help="Keep positions that are nearly the same.")
    ] = False,
    html: HtmlOption = None,
    engine: EngineOption = None,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Show the puzzles that are most like a puzzle or a position."""
    if moves is not None and "/" not in puzzle:
        raise typer.BadParameter("goes with a FEN; a stored puzzle has its own", param_hint="--moves")
    stored = PuzzleFilter(
        rating=bounds(rating, "--rating"),
        gap=gap,
        tags=tuple(tag or ()),
        ends=ends,
        source=source,
        sound=sound,
        any_tags=tuple(any_tag or ()),
        no_tags=tuple(no_tag or ()),
        white=None if side is None else side is Side.WHITE,
        moves=bounds(length, "--length"),
        new_to=new_to,
    )
    filters = PuzzleFilters(stored, bounds(men, "--men"), other_games, duplicates)
    # Only here: it loads the progress bar.
    from chess_motif.terminal import TerminalProgress

    with open_store(db) as store, TerminalProgress() as progress:
        query = resolve(store, puzzle, moves, engine)
        with PuzzleSearcher(store, mode, index, progress) as searcher:
            hits = searcher.similar(query, by=by, k=k, why=why, filters=filters)
        if new_to is not None:
            record_shown(store, new_to, hits)
    if html is not None:
        # Only here: the template engine takes a while to load.
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


@app.command("index")
def index_command(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Rebuild the index.")] = False,
    mode: ModeOption = Mode.DEFAULT,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Bring the search index up to date now; searches otherwise do it."""
    # Only here: importing `motifsearch.cli.main` should load no more than a search needs.
    from chess_motif.terminal import TerminalProgress

    with open_store(db) as store, TerminalProgress() as progress:
        _, report = sync_puzzles(store, mode, index, rebuild=rebuild, progress=progress)
    if json:
        print_json(report.as_dict())
        return
    rows: list[list[object]] = [
        ["puzzles in the index", f"{report.puzzles:,}"],
        ["added", f"{report.added:,}"],
    ]
    rows += [["removed", f"{report.removed:,}"]] if report.removed else []
    rows += [["unreadable", f"{report.unreadable:,}"]] if report.unreadable else []
    rows += [["seconds", f"{report.seconds:.1f}"], ["puzzles/s", f"{report.rate:,.0f}"]]
    following = "motifsearch similar ID" if report.puzzles else "puzzlegen mine GAMES"
    print(f"{report.path}\n\n{table(['', 'count'], rows, right='lr')}\n\nNext: {following}")


def main() -> None:
    """FeatureSet the command `motifsearch`."""
    console.run(app, "motifsearch")
