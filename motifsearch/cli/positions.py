"""The commands `motifsearch positions add` and `similar`, and the options that select games."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from enum import StrEnum
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
from motifsearch.positions.ranking import default_colours
from motifsearch.positions.searcher import DEFAULT_COUNT, PositionFilters, PositionSearcher, resolve_position
from motifsearch.positions.terms import FeatureSet, Pieces
from puzzlegen.cli.options import (
    CountOption,
    DatabaseOption,
    GamesArgument,
    HtmlOption,
    IndexOption,
    PlayerOption,
    RestartOption,
    Side,
    bounds,
    format_named,
    next_step,
)
from puzzlegen.formats.exporting import Format

# The value of --material that means the material of the query.
SAME = "same"

# A date as in PGN, of which the day, or the month and the day, may be missing.
_DATE = re.compile(r"\d{4}(\.(0[1-9]|1[0-2])(\.(0[1-9]|[12]\d|3[01]))?)?", re.ASCII)
_ECO = re.compile(r"[A-E]\d{0,2}", re.ASCII | re.IGNORECASE)

ClusterOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Use the workers of a Dask scheduler, such as tcp://host:8786. They must reach the database and "
        "the folder of the index by the same names.",
    ),
]

app = typer.Typer(help="Finds similar positions in archived games.", no_args_is_help=True)


class GameEnd(StrEnum):
    """How a game ended."""

    WHITE_WON = "1-0"
    BLACK_WON = "0-1"
    DRAWN = "1/2-1/2"


def game_filter(
    player: PlayerOption = None,
    against: Annotated[
        str | None, typer.Option(metavar="NAME", help="Words of the name of the player's opponent.")
    ] = None,
    side: Annotated[Side | None, typer.Option(help="The side of the player.")] = None,
    elo: Annotated[
        str | None, typer.Option(metavar="MIN-MAX", help="Elo of both players, such as 2500- or 1800-2200.")
    ] = None,
    date: Annotated[
        str | None,
        typer.Option(metavar="FROM..TO", help="Date of the game: 2013, 2013.05.. or 2010..2015."),
    ] = None,
    result: Annotated[GameEnd | None, typer.Option(help="How the game ended.")] = None,
    eco: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="ECO code of the opening, or its beginning: B, B9, B90."),
    ] = None,
) -> GameFilter:
    """Return the filter that the options describe."""
    for option, value in {"--against": against, "--side": side}.items():
        if value is not None and player is None:
            raise typer.BadParameter("needs --player", param_hint=option)
    return GameFilter(
        player=player,
        against=against,
        white=None if side is None else side is Side.WHITE,
        elo=bounds(elo, "--elo"),
        date=date_bounds(date),
        result=result,
        eco=eco_beginning(eco),
    )


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
            help="Shards of the index, which are searched side by side.",
            show_default="as many as the archive needs",
        ),
    ] = None,
    restart: RestartOption = False,
    cluster: ClusterOption = None,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Archive games, so that their positions can be searched for.

    After an interruption, the same command resumes where it stopped.
    """
    # Imported only here: a search does not need what reads games.
    from motifsearch.positions.archiving import add_positions, last_position
    from motifsearch.views.positions import added_text

    with Store(db) as store, TerminalProgress() as progress:
        report, indexed = add_positions(
            games,
            store,
            after_move=after_move,
            shards=shards,
            restart=restart,
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
        str, typer.Argument(metavar="FEN|PUZZLE_ID", help="A position in quotes, or that of a stored puzzle")
    ],
    run: Annotated[
        FeatureSet,
        typer.Option(help="What to compare: our own features (Default), or a published set of features."),
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
            help="Also write the games to a .pgn file, or with - only the games to stdout.",
        ),
    ] = None,
    html: HtmlOption = None,
    cluster: ClusterOption = None,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Find positions like a given one in archived games, the best one of each game.

    Only the pieces count, not the side to move. Positions with colours reversed
    are found, too, and shown in the colours of the query, unless an option says
    what White or Black did: --side, --eco, or --result of a won game. A puzzle's
    own game is left out.
    """
    if out is not None and out != STANDARD_OUTPUT and format_named(out, "--out") is not Format.PGN:
        raise typer.BadParameter("only for .pgn", param_hint="--out")
    if pieces is Pieces.PAWNS and run is not FeatureSet.DEFAULT:
        raise typer.BadParameter("a feature set is for all pieces", param_hint="--pieces")
    if json and out == STANDARD_OUTPUT:
        raise typer.BadParameter("'-' cannot be combined with --json", param_hint="--out")
    # Imported only here: the other commands do not need it.
    from motifsearch.positions.summary import is_left_out
    from motifsearch.views.positions import (
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
        colours = default_colours(games)
        with PositionSearcher(store, index, progress, cluster=cluster) as searcher:
            hits = searcher.similar(
                query.board,
                feature_set=run,
                pieces=pieces,
                colours=colours,
                k=k,
                why=why,
                filters=filters,
            )
            missing = searcher.missing
        opening = opening_moves(store)
    warnings = [opening_warning(opening)] if is_left_out(query, hits, opening) else []
    for warning in warnings:
        note(f"warning: {warning}")
    search = PositionSearch(query, run, colours, hits, [*missing, *warnings], pieces)
    if html is not None:
        from motifsearch.views.position_files import positions_page

        write_page(html, positions_page(search))
    if out is not None:
        from motifsearch.views.position_files import write_games

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


def eco_beginning(text: str | None) -> str | None:
    """Return an ECO code or its beginning, once it is checked."""
    if text is not None and not _ECO.fullmatch(text):
        raise _wrong(f"{text!r} is not an ECO code or its beginning, such as B90 or B9", "--eco")
    return text


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
