"""The command `motifsearch retrieval build`.

The UCI engines `chesscone` and `chessbert`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chess_motif import console
from chess_motif.console import JsonOption, VersionOption, print_json
from motifsearch.cli.options import MemoryOption
from puzzlegen.cli.options import DatabaseOption, next_step, open_store

app = typer.Typer(help="Makes the memory that the engines play from.", no_args_is_help=True)


@app.callback()
def retrieval() -> None:
    """Makes the memory that the engines play from."""


@app.command("build")
def build_command(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAMES]",
            help=".pgn, .pgn.zst, .pgn.gz, .pgn.bz2, or - for stdin: games to be archived first",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Network that embeds positions: .onnx, or Maia's .pb.gz.",
            show_default="that of the memory, at first the human-move model",
        ),
    ] = None,
    memory: MemoryOption = None,
    qdrant: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Qdrant server that is to hold the vectors and find the nearest; '' for a file again.",
            show_default="as before, at first a file",
        ),
    ] = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Make the memory of the archived games, or add games to it.

    The engines chesscone and chessbert play from it. After an interruption, the same command resumes where it
    stopped.
    """
    # Imported only here: it takes a while.
    from chess_motif.progress import TerminalProgress
    from motifsearch.retrieval.build import remember_games
    from motifsearch.retrieval.folder import own_database
    from motifsearch.views.positions import memory_text

    if memory is not None:
        memory.mkdir(parents=True, exist_ok=True)
        db = own_database(memory)
    with open_store(db) as store, TerminalProgress() as progress:
        added, report = remember_games(
            games or [], store, memory, model=model, qdrant=qdrant, progress=progress
        )
    if json:
        print_json({**report.as_dict(), "archives": added.as_dict()})
    else:
        print(memory_text(added, report))
        words = [] if memory is None else ["--memory", str(memory)]
        print(f"\n{next_step('chesscone', *words, db=None if memory else db)}")
    if added.damaged:
        raise typer.Exit(console.FAILED)


EPILOG = "Chess programs start it without arguments; type 'uci' to see its options, and 'quit' to leave."


def chesscone() -> None:
    """Run the command `chesscone`."""
    app = _app()

    @app.command(epilog=EPILOG)
    def command(
        memory: MemoryOption = None, db: DatabaseOption = None, version: VersionOption = False
    ) -> None:
        """A UCI engine that plays what was played in similar positions of archived games.

        It plays from the memory that 'motifsearch retrieval build' makes, and
        says which games a move comes from. Without a memory, it plays what
        people are expected to play.
        """
        # Imported only here: help should not wait for it.
        from engines.uci_server import serve_stdio
        from motifsearch.retrieval.chesscone import chesscone_engine

        serve_stdio(chesscone_engine(db, memory))

    console.run(app, "chesscone")


def chessbert() -> None:
    """Run the command `chessbert`."""
    app = _app()

    @app.command(epilog=EPILOG)
    def command(
        memory: MemoryOption = None, db: DatabaseOption = None, version: VersionOption = False
    ) -> None:
        """A UCI engine that reads similar positions of archived games, by a small transformer.

        It reads them in the memory that 'motifsearch retrieval build' makes.
        """
        from engines.uci_server import serve_stdio
        from motifsearch.retrieval.chessbert import chessbert_engine

        serve_stdio(chessbert_engine(db, memory))

    console.run(app, "chessbert")


def _app() -> typer.Typer:
    return typer.Typer(pretty_exceptions_enable=False, add_completion=False)
