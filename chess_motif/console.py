"""What both command lines share: output, errors as one line, exit statuses."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from chess_motif import __version__
from chess_motif.errors import ChessMotifError

FAILED = 1
INTERRUPTED = 130

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def run(app: Callable[[], object], name: str) -> None:
    """Run a typer application as the command `name` and exit.

    The exit status is 0 for success, 1 for failure (with one line on stderr), 2 for wrong usage and 130 for
    an interruption.
    """
    try:
        app()
    except ChessMotifError as error:
        note(f"{name}: {error}")
        sys.exit(FAILED)
    except SystemExit as leaving:
        # typer turns Ctrl-C into this status.
        if leaving.code == INTERRUPTED:
            note(f"{name}: interrupted; what was finished is saved")
        raise
    except BrokenPipeError:
        # The reader (`head`, say) has closed the pipe. Keep Python from failing again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)


def note(text: str) -> None:
    """Print a line for the user that is not part of the result (stderr)."""
    print(text, file=sys.stderr, flush=True)


def print_json(document: Any) -> None:
    """Print the JSON document of a command."""
    print(json.dumps(document, ensure_ascii=False, indent=2))


def show_version(value: bool) -> None:
    """Print the version and exit, if the option was given."""
    if value:
        print(f"chess-motif {__version__}")
        raise typer.Exit


VersionOption = Annotated[
    bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version.")
]
