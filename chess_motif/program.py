"""A program with many commands, which imports only the command that is run.

Some commands need libraries that take longer to import than a short command takes to run.
"""

from __future__ import annotations

import gc
import os
import pkgutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import typer

from chess_motif.console import VersionOption


class Place(NamedTuple):
    """Where a command is, as `module:function`, and the first paragraph of its help.

    In place of the function there may be a typer application, for a group of commands.
    """

    where: str
    help: str


@dataclass(frozen=True)
class Program:
    """A program with `commands` by name; `help` says what the program does."""

    name: str
    help: str
    commands: Mapping[str, Place]

    def __call__(self) -> object:
        """Run the command that `sys.argv` names, or list the commands."""
        if f"_{self.name.upper()}_COMPLETE" in os.environ:
            # For shell completion, the command line is in the environment.
            return self.application()()
        word = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
        # Imports leave hardly any garbage, and looking for it takes a tenth of the time that a command needs
        # to start.
        gc.disable()
        application = self.application({word})
        gc.freeze()
        gc.enable()
        return application()

    def application(self, loaded: set[str] | None = None) -> typer.Typer:
        """Return the typer application. Commands that are not in `loaded` (default: all) are only listed."""
        app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
        app.callback(help=self.help)(_common)
        for name, (where, about) in self.commands.items():
            if loaded is not None and name not in loaded:
                app.command(name, help=about)(_common)
                continue
            command = pkgutil.resolve_name(where)
            if isinstance(command, typer.Typer):
                app.add_typer(command, name=name)
            else:
                app.command(name)(command)
        return app


def _common(version: VersionOption = False) -> None:
    """Handle the options of the program itself. Called before a command."""
