"""The command `motifsearch` with all its subcommands."""

from __future__ import annotations

import typer

from chess_motif.console import VersionOption
from motifsearch.cli.positions import app as positions_app
from motifsearch.cli.puzzles import index_command, report_app, similar_command
from motifsearch.cli.retrieval import app as retrieval_app
from motifsearch.cli.sets import app as sets_app
from motifsearch.cli.solve import solve_command
from motifsearch.cli.training import train_command
from puzzlegen.cli.renamed import run

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)


@app.callback()
def common(version: VersionOption = False) -> None:
    """Finds similar puzzles and similar positions."""


app.command("similar")(similar_command)
app.command("index")(index_command)
app.command("train")(train_command)
app.command("solve")(solve_command)
app.add_typer(sets_app, name="sets")
app.add_typer(positions_app, name="positions")
app.add_typer(retrieval_app, name="retrieval")
app.add_typer(report_app, name="report")


def main() -> None:
    """Run the command `motifsearch`."""
    run(app, "motifsearch")
