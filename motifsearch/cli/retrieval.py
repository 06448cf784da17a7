"""The commands `motifsearch retrieval`, and the UCI engines that play from the memory."""

from __future__ import annotations

from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated

import typer

from chess_motif.console import FAILED, JsonOption, VersionOption, run, show
from chess_motif.errors import InputError
from chess_motif.progress import TerminalProgress
from db.store import Store
from puzzlegen.cli.options import GAME_FILES, DatabaseOption, next_step

MemoryOption = Annotated[
    Path | None,
    typer.Option(
        "--memory",
        metavar="DIR",
        help="Folder of a memory with its own games. Default: the memory beside the database.",
    ),
]

app = typer.Typer(no_args_is_help=True)


@app.callback()
def retrieval() -> None:
    """Builds the memory of the engines, and shows the games that they name."""


@app.command("build")
def build_command(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GAMES",
            help=f"Games to archive first: {GAME_FILES}",
            show_default=False,
        ),
    ] = None,
    min_elo: Annotated[
        int | None,
        typer.Option(
            metavar="ELO", min=0, help="Archive only games whose players are both rated at least this."
        ),
    ] = None,
    speed: Annotated[
        str | None,
        typer.Option(
            metavar="SPEED",
            help=(
                "Archive only games of this speed (bullet, blitz, rapid, classical), "
                "or '!bullet' for all but bullet."
            ),
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help=(
                "Network that embeds positions: 'chesspos' for the network of the paper, an .onnx file, or "
                "one of Maia's .pb.gz files."
            ),
            show_default="unchanged, initially the human-move model",
        ),
    ] = None,
    memory: MemoryOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Build the memory of the engines chesscone and chessbert from archived games, or add games to it.

    After an interruption, the same command resumes where it stopped.
    """
    # Imported only here: the import takes a while.
    from motifsearch.retrieval.build import remember_games
    from motifsearch.retrieval.embedding import CHESSPOS
    from motifsearch.retrieval.folder import own_database
    from motifsearch.show.positions import memory_text
    from puzzlegen.games.filter import ArchiveFilter

    try:
        wanted = ArchiveFilter(min_elo, speed)
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--speed") from error
    if memory is not None:
        memory.mkdir(parents=True, exist_ok=True)
        db = own_database(memory)
    with Store(db, create=bool(games)) as store, TerminalProgress() as progress:
        added, report = remember_games(
            games or [],
            store,
            memory,
            wanted=wanted,
            model=CHESSPOS if model == Path("chesspos") else model,
            progress=progress,
        )
    words = [] if memory is None else ["--memory", str(memory)]
    step = next_step("chesscone", *words, db=None if memory else db)
    show({**vars(report), "archives": added}, lambda: f"{memory_text(added, report)}\n\n{step}", json)
    if added.damaged:
        raise typer.Exit(FAILED)


@app.command("position")
def position_command(
    number: Annotated[
        str,
        typer.Argument(metavar="NUMBER", help="Number of a position that an engine named, such as 4711.22"),
    ],
    memory: MemoryOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Show a position that chesscone or chessbert named, as PGN with a comment at the position."""
    # Imported only here: the imports take a while.
    from motifsearch.retrieval.evidence import look_up
    from motifsearch.retrieval.folder import own_database
    from motifsearch.show.pgn import commented_game
    from motifsearch.show.positions import archived_document

    with Store(own_database(memory) if memory else db, create=False) as store:
        archived, ply = look_up(store, number)
    fen = archived.position(ply).fen()
    show(
        lambda: {"position": number, **archived_document(archived, ply, *archived.played(ply))},
        lambda: str(commented_game(archived, ply, f"position {number}: {fen}")),
        json,
    )


EPILOG = "Chess programs start an engine without arguments. Type 'uci' to see its options, 'quit' to leave."


def chesscone() -> None:
    """Run the command `chesscone`."""
    about = (
        "A UCI engine that plays what was played in similar positions of archived games.\n\n"
        "Chesscone uses the memory that 'motifsearch retrieval build' makes, and names the games that a move "
        "comes from. Without a memory, it plays the moves that people are likely to play."
    )
    _run_engine("chesscone", "motifsearch.retrieval.chesscone:chesscone_engine", about)


def chessbert() -> None:
    """Run the command `chessbert`."""
    about = (
        "A UCI engine whose small transformer reads similar positions of archived games.\n\n"
        "The games are in the memory that 'motifsearch retrieval build' makes."
    )
    _run_engine("chessbert", "motifsearch.retrieval.chessbert:chessbert_engine", about)


def _run_engine(name: str, where: str, about: str) -> None:
    """Run the command `name`, a UCI engine that the function `where` (`module:function`) makes."""
    app = typer.Typer(pretty_exceptions_enable=False, add_completion=False)

    @app.command(help=about, epilog=EPILOG)
    def command(
        memory: MemoryOption = None, db: DatabaseOption = None, version: VersionOption = False
    ) -> None:
        # Imported only here: help should not wait for this import.
        from engines.uci_server import serve_stdio

        serve_stdio(resolve_name(where)(db, memory))

    run(app, name)
