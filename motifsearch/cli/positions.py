"""The commands `motifsearch positions add` and `similar`."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import chess
import typer

from chess_motif import console
from chess_motif.console import JsonOption, note, print_json, with_options
from chess_motif.errors import InputError
from chess_motif.material import material_of, parse_material
from chess_motif.output import STANDARD_OUTPUT
from db.games import GameFilter
from motifsearch.cli.options import HtmlOption, IndexOption
from motifsearch.cli.position_filters import game_filter
from motifsearch.positions.colours import Colours, default_colours
from motifsearch.positions.feature_sets import FeatureSet
from motifsearch.positions.opening import OPENING_MOVES, opening_moves
from motifsearch.positions.searcher import DEFAULT_COUNT, PositionFilters, PositionSearcher
from puzzlegen.cli.options import DatabaseOption, next_step, open_store

if TYPE_CHECKING:
    from motifsearch.views.positions.words import PositionSearch

# The value of --material that means the material of the query.
SAME = "same"

app = typer.Typer(help="Finds similar positions in archived games.", no_args_is_help=True)


@app.command("add")
def add_command(
    games: Annotated[
        list[str],
        typer.Argument(metavar="GAMES", help=".pgn, .pgn.zst, .pgn.gz, .pgn.bz2, or - for stdin"),
    ],
    after_move: Annotated[
        int | None,
        typer.Option(
            "--after-move",
            min=0,
            metavar="N",
            help="Index positions after move N; applies to all archived games.",
            show_default=f"unchanged, initially {OPENING_MOVES}",
        ),
    ] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Read the archives from the beginning.")] = False,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Archive games, so that their positions can be searched for.

    After an interruption, the same command resumes where it stopped.
    """
    # Imported only here: a search does not need what reads games.
    from chess_motif.terminal import TerminalProgress
    from motifsearch.positions.archiving import add_positions, last_position
    from motifsearch.views.positions.text import added_text

    with open_store(db) as store, TerminalProgress() as progress:
        report, indexed = add_positions(
            games, store, after_move=after_move, restart=restart, directory=index, progress=progress
        )
        example = last_position(store) if indexed.indexed else None
    if json:
        print_json({**report.as_dict(), "index": indexed.as_dict()})
    else:
        print(added_text(report, indexed))
        if example is not None:
            words = ("motifsearch", "positions", "similar", example.fen())
            print(f"\n{next_step(*words, db=db, index=index)}")
    if report.damaged:
        raise typer.Exit(console.FAILED)


@app.command("similar")
@with_options(games=game_filter)
def similar_command(
    position: Annotated[
        str, typer.Argument(metavar="FEN|PUZZLE_ID", help="A position, in quotes, or that of a stored puzzle")
    ],
    run: Annotated[
        FeatureSet,
        typer.Option(help="What to compare: a published set of features, or our own (Default)."),
    ] = FeatureSet.DEFAULT,
    k: Annotated[int, typer.Option("-k", min=1, metavar="N", help="Number of results.")] = DEFAULT_COUNT,
    why: Annotated[bool, typer.Option("--why", help="List the terms that matched.")] = False,
    *,
    games: GameFilter,
    colours: Annotated[
        Colours | None,
        typer.Option(
            help="Search with the colours of the position, or with either.",
            show_default="either, or same with --white, --black, --eco, or --result of a won game",
        ),
    ] = None,
    material: Annotated[
        str | None,
        typer.Option(
            metavar="PIECES",
            help=f"Material as in the query, White's first, such as KRPP-KBP; '{SAME}': that of the query.",
        ),
    ] = None,
    html: HtmlOption = None,
    pgn: Annotated[
        str | None,
        typer.Option("--pgn", metavar="OUT", help="Also write the games, as PGN; with - print nothing else."),
    ] = None,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Find positions like a given one in archived games, the best one of each game.

    Only the pieces count, not the side to move. Positions with colours reversed are found, too, and shown in
    the colours of the query. A puzzle's own game is left out.
    """
    if json and pgn == STANDARD_OUTPUT:
        raise typer.BadParameter("'-' cannot be combined with --json", param_hint="--pgn")
    # Imported only here: the other commands do not need it.
    from chess_motif.terminal import TerminalProgress
    from motifsearch.positions.query import resolve_position
    from motifsearch.positions.summary import is_left_out
    from motifsearch.views.positions.document import positions_document
    from motifsearch.views.positions.text import positions_text
    from motifsearch.views.positions.words import PositionSearch, opening_warning

    colours = colours or default_colours(games)
    with open_store(db) as store, TerminalProgress() as progress:
        query = resolve_position(store, position)
        filters = PositionFilters(
            replace(games, other_than=query.own_game), _material_named(material, query.board)
        )
        with PositionSearcher(store, index, progress) as searcher:
            hits = searcher.similar(
                query.board, feature_set=run, colours=colours, k=k, why=why, filters=filters
            )
        opening = opening_moves(store)
    warnings = [opening_warning(opening)] if is_left_out(query, hits, opening) else []
    for warning in warnings:
        note(f"warning: {warning}")
    search = PositionSearch(query, run, colours, hits, warnings)
    _write_files(search, html, pgn)
    if json:
        print_json(positions_document(search, why))
    elif pgn != STANDARD_OUTPUT:
        print(positions_text(search, shutil.get_terminal_size().columns))
        written = [str(file) for file in (html, pgn) if file is not None]
        if written:
            print(f"\nWritten to {' and '.join(written)}")
        elif hits:
            print("\n--html page.html writes diagrams, --pgn games.pgn the games.")


def _material_named(text: str | None, query: chess.Board) -> str | None:
    """Return the material that the option `--material` asks for."""
    if text is None:
        return None
    if text.lower() == SAME:
        return material_of(query)
    try:
        return parse_material(text)
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--material") from error


def _write_files(search: PositionSearch, html: Path | None, pgn: str | None) -> None:
    if html is not None:
        from chess_motif.pages.html import write_page
        from motifsearch.views.positions.page import positions_page

        write_page(html, positions_page(search))
    if pgn is not None:
        from motifsearch.views.positions.pgn import write_games

        write_games(pgn, search.hits)
