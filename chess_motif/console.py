"""What both command lines share: output, errors as one line, exit statuses."""

from __future__ import annotations

import functools
import inspect
import json
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer

from chess_motif import __version__
from chess_motif.errors import ChessMotifError
from chess_motif.text import clean

T = TypeVar("T")

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
    """Print a line for the user that is not part of the result (stderr). It may name any file."""
    print(clean(text), file=sys.stderr, flush=True)


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


def with_options(**groups: Callable[..., object]) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Return a decorator that replaces parameters of a typer command by groups of options.

    `with_options(filters=puzzle_filter)` replaces the command's parameter `filters` by the options that
    `puzzle_filter` takes, and calls the command with the value that it returns.
    """

    def decorate(command: Callable[..., T]) -> Callable[..., T]:
        signature = inspect.signature(command, eval_str=True)
        options = {name: inspect.signature(group, eval_str=True).parameters for name, group in groups.items()}
        parameters: list[inspect.Parameter] = []
        for name, parameter in signature.parameters.items():
            parameters += options[name].values() if name in options else [parameter]

        @functools.wraps(command)
        def run(**arguments: Any) -> T:
            for name, group in groups.items():
                arguments[name] = group(**{option: arguments.pop(option) for option in options[name]})
            return command(**arguments)

        # typer reads both the signature and the annotations.
        run.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in parameters]
        )
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        del run.__wrapped__
        return run

    return decorate
