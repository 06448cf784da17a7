"""The commands `motifsearch positions add` and `similar`, and the options that select games."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from typing import Annotated

import chess
import typer

from chess_motif.console import FAILED, JsonOption, show, with_options
from chess_motif.errors import InputError
from chess_motif.material import material_of, parse_material
from chess_motif.output import STANDARD_OUTPUT, note
from chess_motif.pages import write_page
from chess_motif.progress import TerminalProgress
from db.games import GameFilter
from db.store import Store
from motifsearch.positions.index import OPENING_MOVES, opening_moves
from motifsearch.positions.searcher import DEFAULT_COUNT, PositionFilters, PositionSearcher, resolve_position
from motifsearch.positions.terms import FeatureSet, Pieces
from puzzlegen.cli.options import (
    ClusterOption,
    CountOption,
    DatabaseOption,
    GamesArgument,
    HtmlOption,
    IndexOption,
    PlayerOption,
    bounds,
    format_named,
    next_step,
)
from puzzlegen.formats.exporting import Format

# The value of --material for the material of the query.
SAME = "same"

# A date as in PGN; the day, or the month and the day, may be missing.
_DATE = re.compile(r"\d{4}(\.(0[1-9]|1[0-2])(\.(0[1-9]|[12]\d|3[01]))?)?", re.ASCII)

app = typer.Typer(help="Finds similar positions in archived games.", no_args_is_help=True)


def game_filter(
    player: PlayerOption = None,
    elo: Annotated[
        str | None, typer.Option(metavar="MIN-MAX", help="Elo of both players, such as 2500- or 1800-2200.")
    ] = None,
    date: Annotated[
        str | None,
        typer.Option(metavar="FROM..TO", help="Date of the game: 2013, 2013.05.. or 2010..2015."),
    ] = None,
) -> GameFilter:
    """Return the filter that the options describe."""
    return GameFilter(player=player, elo=bounds(elo, "--elo"), date=date_bounds(date))


@app.command("add")
def add_command(
    games: GamesArgument,
    after_move: Annotated[
        int | None,
        typer.Option(
            "--after-move",
            min=0,
            metavar="N",
            help="Index only positions after move N, in all archived games.",
            show_default=f"unchanged, initially {OPENING_MOVES}",
        ),
    ] = None,
    shards: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1000,
            metavar="N",
            help="Number of index shards, which are searched in parallel.",
            show_default="as many as the archive needs",
        ),
    ] = None,
    cluster: ClusterOption = None,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Archive games, so that their positions can be searched for.

    After an interruption, the same command resumes where it stopped.
    """
    # Imported only here: a search does not read games.
    from motifsearch.positions.archiving import add_positions, last_position
    from motifsearch.show.positions import added_text

    with Store(db) as store, TerminalProgress() as progress:
        report, indexed = add_positions(
            games,
            store,
            after_move=after_move,
            shards=shards,
            directory=index,
            cluster=cluster,
            progress=progress,
        )
        example = last_position(store) if indexed.indexed else None

    def text() -> str:
        added = added_text(report, indexed)
        if example is None:
            return added
        words = ["motifsearch", "positions", "similar", example.fen()]
        words += [] if cluster is None else ["--cluster", cluster]
        return f"{added}\n\n{next_step(*words, db=db, index=index)}"

    show({**report.as_dict(), "index": indexed}, text, json)
    if report.damaged:
        raise typer.Exit(FAILED)


@app.command("similar")
@with_options(games=game_filter)
def similar_command(
    position: Annotated[
        str,
        typer.Argument(
            metavar="FEN|PGN|URL|PUZZLE_ID",
            help="A position in quotes, as for `motifsearch similar`, or that of a stored puzzle",
        ),
    ],
    run: Annotated[
        FeatureSet,
        typer.Option(help="What to compare: our own feature set (Default), or a published feature set."),
    ] = FeatureSet.DEFAULT,
    pieces: Annotated[
        Pieces, typer.Option(help="Which pieces to compare: all, or the pawn structure alone.")
    ] = Pieces.ALL,
    k: CountOption = DEFAULT_COUNT,
    why: Annotated[bool, typer.Option("--why", help="List the terms that matched.")] = False,
    *,
    games: GameFilter,
    material: Annotated[
        str | None,
        typer.Option(
            metavar="PIECES",
            help=f"Material, White's first, such as KRPP-KBP, or '{SAME}' for that of the query.",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Also write the games to a .pgn file; with -, write only the games, to stdout.",
        ),
    ] = None,
    html: HtmlOption = None,
    cluster: ClusterOption = None,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Find positions like a given position in archived games, the best position of each game.

    Only the pieces count, not the side to move. Positions with colours reversed
    are found, too, and shown in the colours of the query. A puzzle's own game is
    left out.
    """
    if out is not None and out != STANDARD_OUTPUT and format_named(out, "--out") is not Format.PGN:
        raise typer.BadParameter("only for .pgn", param_hint="--out")
    if pieces is Pieces.PAWNS and run is not FeatureSet.DEFAULT:
        raise typer.BadParameter("a feature set is for all pieces", param_hint="--pieces")
    if json and out == STANDARD_OUTPUT:
        raise typer.BadParameter("'-' cannot be combined with --json", param_hint="--out")
    # Imported only here: other commands show no summary.
    from motifsearch.positions.summary import is_left_out
    from motifsearch.show.positions import (
        PositionSearch,
        opening_warning,
        positions_document,
        positions_text,
    )

    with Store(db, create=False) as store, TerminalProgress() as progress:
        query = resolve_position(store, position)
        filters = PositionFilters(
            replace(games, other_than=query.own_game), _material_named(material, query.board)
        )
        with PositionSearcher(store, index, progress, cluster=cluster) as searcher:
            hits = searcher.similar(
                query.board,
                feature_set=run,
                pieces=pieces,
                k=k,
                why=why,
                filters=filters,
            )
            missing = searcher.missing
        opening = opening_moves(store)
    warnings = [opening_warning(opening)] if is_left_out(query, hits, opening) else []
    for warning in warnings:
        note(f"warning: {warning}")
    search = PositionSearch(query, run, hits, [*missing, *warnings], pieces)
    if html is not None:
        from motifsearch.show.positions import positions_page

        write_page(html, positions_page(search))
    if out is not None:
        from motifsearch.show.pgn import write_games

        write_games(out, hits)
    if out == STANDARD_OUTPUT:
        return

    def text() -> str:
        found = positions_text(search, shutil.get_terminal_size().columns)
        written = [str(file) for file in (html, out) if file is not None]
        if written:
            return f"{found}\n\nWritten to {' and '.join(written)}"
        return f"{found}\n\n--html page.html writes diagrams, --out games.pgn the games." if hits else found

    show(lambda: positions_document(search, why), text, json)


def date_bounds(text: str | None) -> tuple[str | None, str | None]:
    """Return the first and the last date of FROM..TO, FROM.., ..TO or a single date."""
    if text is None:
        return (None, None)
    first, dots, last = text.partition("..")
    if not dots:
        last = first
    given = [date for date in (first, last) if date]
    if not given or not all(map(_DATE.fullmatch, given)):
        raise _wrong(f"{text!r} is not FROM..TO with dates such as 2013, 2013.05 or 2013.05.31", "--date")
    if first and last and first[: len(last)] > last[: len(first)]:
        raise _wrong(f"{text!r} ends before it begins", "--date")
    return (first or None, last or None)


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


def _wrong(why: str, option: str) -> typer.BadParameter:
    return typer.BadParameter(why, param_hint=option)
