"""The command `puzzlegen` with all its subcommands."""

from __future__ import annotations

import typer

from chess_motif.console import VersionOption
from puzzlegen.cli.cache import app as cache_app
from puzzlegen.cli.mine import mine_command
from puzzlegen.cli.puzzles import (
    export_command,
    import_command,
    list_command,
    show_command,
    stats_command,
    tags_command,
)
from puzzlegen.cli.renamed import run
from puzzlegen.cli.runs import runs_command
from puzzlegen.cli.upkeep import (
    audit_command,
    delete_command,
    rate_command,
    retag_command,
    simplify_command,
)

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)


@app.callback()
def common(version: VersionOption = False) -> None:
    """Turns chess games into verified tactical puzzles."""


app.command("mine")(mine_command)
app.command("runs")(runs_command)
app.command("import")(import_command)
app.command("export")(export_command)
app.command("list")(list_command)
app.command("show")(show_command)
app.command("simplify")(simplify_command)
app.command("audit")(audit_command)
app.command("retag")(retag_command)
app.command("rate")(rate_command)
app.command("delete")(delete_command)
app.command("stats")(stats_command)
app.command("tags")(tags_command)
app.add_typer(cache_app, name="cache")


def main() -> None:
    """Run the command `puzzlegen`."""
    run(app, "puzzlegen")
