"""The UCI engines `chesscone` and `chessbert`."""

from __future__ import annotations

import typer

from chess_motif import console
from chess_motif.console import VersionOption
from motifsearch.cli.options import MemoryOption
from puzzlegen.cli.options import DatabaseOption

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
        from motifsearch.retrieval.engines import chesscone_engine

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
        from motifsearch.retrieval.engines import chessbert_engine

        serve_stdio(chessbert_engine(db, memory))

    console.run(app, "chessbert")


def _app() -> typer.Typer:
    return typer.Typer(pretty_exceptions_enable=False, add_completion=False)
