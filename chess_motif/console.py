"""What both command lines share: output, errors as one line, exit statuses."""

from __future__ import annotations

import functools
import inspect
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from io import StringIO, TextIOWrapper, UnsupportedOperation
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from chess_motif import __version__
from chess_motif.errors import ChessMotifError, reason_of
from chess_motif.interruption import INTERRUPTED, interruptible
from chess_motif.output import discard, note

T = TypeVar("T")

FAILED = 1

# Decimals of numbers in JSON: no number is more exact.
DIGITS = 4

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def run(app: Callable[[], object], name: str) -> None:
    """Run a typer application as the command `name` and exit.

    The exit status is 0 for success, 1 for failure (with one line on stderr), 2 for wrong usage, 130 for an
    interruption by Ctrl-C and 143 for one by SIGTERM. If the reader of standard output leaves early, as
    `head` does, that is a failure without a line. If standard input is closed, it counts as empty.
    Input and output are UTF-8.
    """
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - never closed
    elif isinstance(sys.stdin, TextIOWrapper):
        # Input need not be valid text. This fails once something was read, and then nothing changes.
        with suppress(UnsupportedOperation):
            sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    if sys.stderr is None:
        # print() would take standard output instead.
        sys.stderr = StringIO()
    elif isinstance(sys.stderr, TextIOWrapper):
        sys.stderr.reconfigure(encoding="utf-8")
    if sys.stdout is None:
        note(f"{name}: standard output is closed")
        sys.exit(FAILED)
    # As in files, whatever Windows has chosen for pipes. A file name need not be valid text; an escape with a
    # backslash is also valid in JSON.
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")  # type: ignore[union-attr]
    with interruptible() as interruption:
        try:
            try:
                app()
            finally:
                # If the output cannot be written, this should fail here and not when Python exits.
                sys.stdout.flush()
        except BaseException as error:
            # typer turns Ctrl-C into this status. Any other error after a signal was caused by the signal:
            # some libraries turn Ctrl-C during their import into an error of their own.
            if interruption.status or (isinstance(error, SystemExit) and error.code == INTERRUPTED):
                note(f"{name}: interrupted; what was finished is saved")
                sys.exit(interruption.status or INTERRUPTED)
            if isinstance(error, ChessMotifError):
                note(f"{name}: {error}")
                sys.exit(FAILED)
            if isinstance(error, OSError):
                discard(sys.stdout)
                if not isinstance(error, BrokenPipeError):
                    note(f"{name}: {error.filename or 'standard output'}: {reason_of(error)}")
                sys.exit(FAILED)
            raise


def show(result: object, text: Callable[[], str], as_json: bool) -> None:
    """Print the result of a command as one JSON document, or as the text that `text` returns.

    `result` is a report, or a dictionary, list or iterator of reports, or a function that returns one of
    these. Such a function is only called for JSON, and `text` only for text.
    """
    print(json_text(result() if callable(result) else result) if as_json else text())


def json_text(document: object) -> str:
    """Return a JSON document, with its numbers rounded to `DIGITS` decimals.

    An object of this project is written as its method `as_dict` returns or, without that method, as its
    fields.
    """
    return json.dumps(_plain(document), ensure_ascii=False, indent=2)


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if hasattr(value, "as_dict"):
        return _plain(value.as_dict())
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, list | tuple | Iterator):
        return [_plain(item) for item in value]
    return value


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
    `puzzle_filter` takes, and calls the command with the value that `puzzle_filter` returns. An option of the
    group may have the name of the parameter. An option that the command itself has, too, such as the
    database, is passed to both.
    """

    def decorate(command: Callable[..., T]) -> Callable[..., T]:
        signature = inspect.signature(command, eval_str=True)
        own = signature.parameters
        options = {name: inspect.signature(group, eval_str=True).parameters for name, group in groups.items()}
        parameters: list[inspect.Parameter] = []
        for name, parameter in own.items():
            group = options.get(name, {name: parameter})
            parameters += [group[option] for option in group if option == name or option not in own]

        @functools.wraps(command)
        def with_values(**arguments: Any) -> T:
            values = {
                name: group(**{option: arguments[option] for option in options[name]})
                for name, group in groups.items()
            }
            return command(**{name: value for name, value in arguments.items() if name in own} | values)

        # typer reads both the signature and the annotations.
        with_values.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in parameters]
        )
        with_values.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        del with_values.__wrapped__
        return with_values

    return decorate
