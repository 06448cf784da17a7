"""What both command lines share: output, errors as one line, exit statuses, the database option."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any

import typer

from chess_motif import __version__
from chess_motif.errors import ChessMotifError
from db.store import URL_VARIABLE, Store

FAILED = 1
INTERRUPTED = 130

DatabaseOption = Annotated[
    str | None,
    typer.Option(
        "--db",
        envvar=URL_VARIABLE,
        metavar="URL",
        help="Database: a SQLite file or any SQLAlchemy URL. Default: a file in your data directory.",
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def run(app: Callable[[], object], name: str) -> None:
    """Run a typer application as the command `name` and leave with the contract's exit status.

    0 done, 1 could not do it (one line on stderr), 2 wrong usage, 130 interrupted.
    """
    try:
        app()
    except ChessMotifError as error:
        note(f"{name}: {error}")
        sys.exit(FAILED)
    except SystemExit as leaving:
        # What typer makes of Ctrl-C.
        if leaving.code == INTERRUPTED:
            note(f"{name}: interrupted; what was finished is saved")
        raise
    except BrokenPipeError:
        # The reader (`head`, say) has seen enough. Keep Python from failing again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)


def note(text: str) -> None:
    """Print a line for the user that is not part of the result (stderr)."""
    print(text, file=sys.stderr, flush=True)


def print_json(document: Any) -> None:
    """Print the one JSON document of a command."""
    print(json.dumps(document, ensure_ascii=False, indent=2))


def table(header: Sequence[str], rows: Iterable[Sequence[object]], right: str = "") -> str:
    """Return rows as aligned text under a header; `right` marks columns to align right with `r`."""
    lines = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    sides = right.ljust(len(header))

    def draw(line: list[str]) -> str:
        cells = (
            cell.rjust(width) if side == "r" else cell.ljust(width)
            for cell, width, side in zip(line, widths, sides, strict=True)
        )
        return "  ".join(cells).rstrip()

    return "\n".join([draw(lines[0]), "  ".join("-" * width for width in widths), *map(draw, lines[1:])])


def open_store(url: str | None) -> Store:
    """Open the database that the user named, or the default one."""
    return Store(url)


def show_version(wanted: bool) -> None:
    """Print the version and leave, when asked to."""
    if wanted:
        print(f"chess-motif {__version__}")
        raise typer.Exit


VersionOption = Annotated[
    bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version.")
]
